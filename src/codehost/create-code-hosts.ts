import type { Clock } from '../engine/runtime/clock.ts';
import type { Logger } from '../engine/runtime/logger.ts';
import { parsePullRequestLink } from '../jobs/pull-requests/link.ts';
import type { CodeHosts, Look } from './code-hosts.ts';
import { type CodeHostSettings, connect } from './connect.ts';
import { look } from './look.ts';
import { lookLog } from './look-log.ts';

export interface CodeHostTools {
  readonly clock: Clock;
  readonly log: Logger;
  /** For one request. Default: ten seconds. */
  readonly timeoutMs?: number;
}

export function createCodeHosts(
  settings: readonly CodeHostSettings[],
  { clock, log, timeoutMs = 10_000 }: CodeHostTools,
): CodeHosts {
  const hosts = settings.map((one) => connect(one, clock, timeoutMs));
  const find = (url: string) => parsePullRequestLink(url, settings);
  const logLook = lookLog(log);
  return {
    find,
    look: async (link, before): Promise<Look> => {
      // Whatever a link was made from, a request is made only of what its address says.
      const own = find(link.key);
      const isAsked = ({ host, webUrl }: CodeHostSettings) => own?.host === host && own.webUrl === webUrl;
      const asked = hosts.find((host) => isAsked(host.settings));
      if (own === null || asked === undefined) return { outcome: 'not_found' };
      const startedMs = clock.now();
      const found = await look({ ...asked, clock }, own, before);
      logLook(link, found, { durationMs: clock.now() - startedMs, remaining: asked.client.remaining() });
      return found;
    },
    close: async () => {
      await Promise.all(hosts.map(({ client }) => client.close()));
    },
  };
}
