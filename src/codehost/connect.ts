import type { Clock } from '../engine/runtime/clock.ts';
import { type CredentialSettings, type Credentials, tokenCredentials } from './client/credentials.ts';
import { createHostClient, type HostClient } from './client/host-client.ts';
import type { Dialect } from './dialect.ts';
import { appCredentials, type GithubApp, githubApp } from './github/app.ts';
import { github } from './github/github.ts';
import { gitlab } from './gitlab/gitlab.ts';

/** The supported kinds of code hosts. */
const DIALECTS = { github, gitlab } as const satisfies Readonly<Record<string, Dialect>>;

/** A code host that may be asked, and as whom. URLs have no trailing slash, and may have a path. */
export interface CodeHostSettings {
  readonly host: keyof typeof DIALECTS;
  /** Where its pull requests are read in a browser: only links to it are checked. */
  readonly webUrl: string;
  readonly apiUrl: string;
  readonly credentials: CredentialSettings;
}

/** A code host with its connections. */
export interface Connected {
  readonly settings: CodeHostSettings;
  readonly dialect: Dialect;
  readonly client: HostClient;
  readonly credentials: Credentials;
  /** Null: it is asked with a token. */
  readonly app: GithubApp | null;
}

/** @param timeoutMs for one request */
export function connect(settings: CodeHostSettings, clock: Clock, timeoutMs: number): Connected {
  const { host, apiUrl, credentials: given } = settings;
  const dialect = DIALECTS[host];
  const { headers, movedTo } = dialect;
  const client = createHostClient({ apiUrl, headers, movedTo, clock, timeoutMs });
  const shared = { settings, dialect, client };
  if (given.kind === 'token') return { ...shared, credentials: tokenCredentials(given.token), app: null };
  const app = githubApp({ ...given, apiUrl, client, clock, timeoutMs });
  return { ...shared, credentials: appCredentials(app, client, clock), app };
}
