import type { Clock } from '../engine/runtime/clock.ts';
import type { Logger } from '../engine/runtime/logger.ts';
import type { TroubleKind } from '../jobs/job.ts';
import { parsePullRequestLink } from '../jobs/pull-requests/link.ts';
import { afterAnswer, nothingKnown } from '../jobs/service-facts.ts';
import type { CodeHosts, Look } from './code-hosts.ts';
import { type CodeHostSettings, connect } from './connect.ts';
import { look, lookLog } from './look.ts';

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
  const hosts = settings.map((one) => ({ ...connect(one, clock, timeoutMs), facts: nothingKnown }));
  const find = (url: string) => parsePullRequestLink(url, settings);
  const logLook = lookLog(log);
  return {
    find,
    look: async (link, before): Promise<Look> => {
      // Whatever its origin, a link is asked about only by what its URL says.
      const own = find(link.key);
      const isAsked = ({ host, webUrl }: CodeHostSettings) => own?.host === host && own.webUrl === webUrl;
      const asked = hosts.find((host) => isAsked(host.settings));
      if (own === null || asked === undefined) return { outcome: 'not_found' };
      const startedMs = clock.now();
      const found = await look({ ...asked, clock }, own, before);
      asked.facts = afterAnswer(asked.facts, troubleOf(found), clock.now());
      logLook(link, found, { durationMs: clock.now() - startedMs, remaining: asked.client.remaining() });
      return found;
    },
    facts: () => hosts.map((host) => ({ host: new URL(host.settings.webUrl).host, facts: host.facts })),
    close: async () => {
      await Promise.all(hosts.map(({ client }) => client.close()));
    },
  };
}

/** Null: the host answered, even if it does not show this pull request. */
function troubleOf(look: Look): TroubleKind | null {
  switch (look.outcome) {
    case 'seen':
    case 'not_found':
      return null;
    case 'no_access':
      return look.reason === 'bad_credentials' ? 'needs_admin' : null;
    case 'later':
      return look.reason === 'rate_limited' ? 'rate_limited' : 'unreachable';
  }
}
