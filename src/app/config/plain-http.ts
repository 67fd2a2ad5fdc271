import type { ConfigProblem } from './problems.ts';
import { exampleOf, settings } from './settings.ts';
import { isLoopback } from './urls.ts';
import type { SettingValues } from './values.ts';

/** Where a key or a token would travel without encryption, to a host for which nobody has allowed it. */
export function plainHttpProblems({ values }: SettingValues): ConfigProblem[] {
  const { PLAIN_HTTP_HOSTS: allowed } = settings.shape;
  const hosts = allowed.safeParse(values.PLAIN_HTTP_HOSTS).data ?? [];
  return (['AGENT_BASE_URL', 'SLACK_API_URL'] as const).flatMap((variable) => {
    const address = settings.shape[variable].safeParse(values[variable]).data;
    const url = address === undefined ? null : URL.parse(address);
    if (url === null || url.protocol === 'https:' || isLoopback(url.hostname)) return [];
    if (hosts.includes(url.hostname)) return [];
    const message = `must use https: http is for this machine, and for hosts that PLAIN_HTTP_HOSTS names`;
    return [{ variable, message, example: exampleOf(variable) }];
  });
}
