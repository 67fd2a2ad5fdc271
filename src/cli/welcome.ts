import type { Config } from '../app/config/config.ts';
import type { Service } from '../app/service.ts';
import { EVENTS_PATH } from '../slack/protocol/ids.ts';

/** What a start on a terminal ends with. */
export function welcome(
  { slack, http, store }: Pick<Config, 'slack' | 'http' | 'store'>,
  { signedInAs, port, healthPort }: Pick<Service, 'signedInAs' | 'port' | 'healthPort'>,
): string {
  const host = ['0.0.0.0', '::'].includes(http.host) ? 'localhost' : http.host;
  const address = (at: number) => `http://${host.includes(':') ? `[${host}]` : host}:${at}`;
  const mode =
    slack.transport.kind === 'socket'
      ? 'Socket Mode'
      : `HTTP, listening for Slack at ${address(port)}${EVENTS_PATH}`;
  const lines = [
    ['Bot', botOf(signedInAs)],
    ['Mode', mode],
    ['Health', `${address(healthPort)}/readyz`],
    ['Store', store.kind === 'postgres' ? 'Postgres' : `SQLite, in ${store.dataDir}`],
  ];
  return [
    '',
    'docs-agent is ready.',
    ...lines.map(([name = '', value]) => `  ${name.padEnd(8)}${value}`),
    '',
    'Try /docs-agent help in Slack.',
  ].join('\n');
}

function botOf(signedInAs: Service['signedInAs']): string {
  if (signedInAs === null) return 'in each workspace that has installed it';
  const { botName, workspaceName } = signedInAs;
  return `@${botName ?? 'docs-agent'}${workspaceName === null ? '' : ` in ${workspaceName}`}`;
}
