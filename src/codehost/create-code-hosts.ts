import type { Clock } from '../engine/runtime/clock.ts';
import type { Logger } from '../engine/runtime/logger.ts';
import { parsePullRequestLink } from '../jobs/pull-requests/link.ts';
import { type CredentialSettings, tokenCredentials } from './client/credentials.ts';
import { createHostClient } from './client/host-client.ts';
import type { CodeHosts, Look } from './code-hosts.ts';
import type { Dialect } from './dialect.ts';
import { appCredentials } from './github/app.ts';
import { github } from './github/github.ts';
import { gitlab } from './gitlab/gitlab.ts';
import { look } from './look.ts';
import { lookLog } from './look-log.ts';

/** The kinds of code hosts that can be asked. */
const DIALECTS = { github, gitlab } as const satisfies Readonly<Record<string, Dialect>>;

/** A code host that may be asked, and as whom. Addresses do not end with a slash, and may have a path. */
export interface CodeHostSettings {
  readonly host: keyof typeof DIALECTS;
  /** Where its pull requests are read in a browser: only links to it are looked at. */
  readonly webUrl: string;
  readonly apiUrl: string;
  readonly credentials: CredentialSettings;
}

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
  const hosts = settings.map(({ host, webUrl, apiUrl, credentials: given }) => {
    const dialect = DIALECTS[host];
    const { headers, movedTo } = dialect;
    const client = createHostClient({ apiUrl, headers, movedTo, clock, timeoutMs });
    const credentials =
      given.kind === 'token'
        ? tokenCredentials(given.token)
        : appCredentials({ ...given, apiUrl, client, clock, timeoutMs });
    return { host, webUrl, client, dialect, credentials };
  });
  const find = (url: string) => parsePullRequestLink(url, hosts);
  const logLook = lookLog(log);
  return {
    find,
    look: async (link, before): Promise<Look> => {
      // Whatever a link was made from, a request is made only of what its address says.
      const own = find(link.key);
      const asked = hosts.find(({ host, webUrl }) => own?.host === host && own.webUrl === webUrl);
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
