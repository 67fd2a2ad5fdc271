import type { Clock } from '../engine/runtime/clock.ts';
import type { Logger } from '../engine/runtime/redact.ts';
import type { TroubleKind } from '../jobs/job.ts';
import { type PullRequestLink, parsePullRequestLink } from '../jobs/pull-requests/link.ts';
import { afterAnswer, type HostFacts, nothingKnown } from '../jobs/service-facts.ts';
import { type CredentialSettings, createHostClient, tokenCredentials } from './client/host-client.ts';
import { type GithubApp, githubApp } from './github/app.ts';
import { github } from './github/github.ts';
import { gitlab } from './gitlab/gitlab.ts';
import { type Dialect, type HostAccess, type Look, type LookMemory, look, lookLog } from './look.ts';

export type CodeHosts = ReturnType<typeof createCodeHosts>;

/** The configured code hosts, for pull requests. Nothing is ever written to them. `timeoutMs`: for one request. */
export function createCodeHosts(
  settings: readonly CodeHostSettings[],
  { clock, log, timeoutMs = 10_000 }: { clock: Clock; log: Logger; timeoutMs?: number },
) {
  const hosts = settings.map((one) => ({ ...connect(one, clock, timeoutMs), facts: nothingKnown }));
  /** Null: no configured host knows it, so it is never checked. */
  const find = (url: string) => parsePullRequestLink(url, settings);
  const logLook = lookLog(log);
  return {
    find,
    /**
     * Never throws for failures of network or host, and takes half a minute at most.
     * @param before from the last check that saw the pull request; null: none
     */
    look: async (link: PullRequestLink, before: LookMemory | null): Promise<Look> => {
      // Whatever its origin, a link is asked about only by what its URL says.
      const own = find(link.key);
      const isOwn = ({ host, webUrl }: CodeHostSettings) => own?.host === host && own.webUrl === webUrl;
      const asked = hosts.find((host) => isOwn(host.settings));
      if (own === null || asked === undefined) return { outcome: 'not_found' };
      const startedMs = clock.now();
      const found = await look(asked, own, before);
      asked.facts = afterAnswer(asked.facts, troubleOf(found), clock.now());
      logLook(link, found, clock.now() - startedMs, asked.client.remaining());
      return found;
    },
    facts: (): readonly HostFacts[] =>
      hosts.map((host) => ({ host: new URL(host.settings.webUrl).host, facts: host.facts })),
    /** Aborts what is in flight. */
    close: async () => {
      await Promise.all(hosts.map(({ client }) => client.close()));
    },
  };
}

/** Null: the host answered, even if it does not show this pull request. */
function troubleOf(look: Look): TroubleKind | null {
  if (look.outcome === 'later') return look.reason === 'rate_limited' ? 'rate_limited' : 'unreachable';
  return look.outcome === 'no_access' && look.reason === 'bad_credentials' ? 'needs_admin' : null;
}

const DIALECTS = { github, gitlab } as const satisfies Readonly<Record<string, Dialect>>;

/** A code host that may be asked, and as whom. URLs have no trailing slash, and may have a path. */
export type CodeHostSettings = Readonly<{
  host: keyof typeof DIALECTS;
  /** Where its pull requests are read in a browser: only links to it are checked. */
  webUrl: string;
  apiUrl: string;
  credentials: CredentialSettings;
}>;

/** A code host with its connections. */
export type Connected = HostAccess &
  Readonly<{
    settings: CodeHostSettings;
    /** Null: it is asked with a token. */
    app: GithubApp | null;
  }>;

export function connect(settings: CodeHostSettings, clock: Clock, timeoutMs: number): Connected {
  const { host, apiUrl, credentials: given } = settings;
  const dialect = DIALECTS[host];
  const { headers, movedTo } = dialect;
  const client = createHostClient({ apiUrl, headers, movedTo, clock, timeoutMs });
  const shared = { settings, dialect, client, clock };
  if (given.kind === 'token') return { ...shared, credentials: tokenCredentials(given.token), app: null };
  const app = githubApp({ ...given, apiUrl, client, clock, timeoutMs });
  return { ...shared, credentials: app, app };
}
