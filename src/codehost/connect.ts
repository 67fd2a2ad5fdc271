import type { KeyObject } from 'node:crypto';
import type { Clock } from '../engine/runtime/clock.ts';
import { bearer, createHostClient } from './client.ts';
import { type GithubApp, githubApp } from './github-app.ts';

const HOSTS = {
  github: {
    headers: { accept: 'application/vnd.github+json', 'x-github-api-version': '2022-11-28' },
    repositoryPath: (repository: string) => `/repos/${repository}`,
    movedTo: /^\/repositories\/\d{1,20}$/,
  },
  gitlab: {
    headers: { accept: 'application/json' },
    repositoryPath: (repository: string) => `/projects/${encodeURIComponent(repository)}`,
    movedTo: /^\/projects\/\d{1,20}$/,
  },
} as const;

/** URLs have no trailing slash, and may have a path. */
export type CodeHostSettings = Readonly<{
  host: keyof typeof HOSTS;
  /** Only links to it are checked. */
  webUrl: string;
  apiUrl: string;
  credentials:
    | { readonly kind: 'token'; readonly token: string }
    /** Each installation has its own tokens, valid for an hour. */
    | { readonly kind: 'app'; readonly appId: string; readonly privateKey: KeyObject };
}>;

export type CodeHost = ReturnType<typeof connect>;

export function connect(settings: CodeHostSettings, clock: Clock, timeoutMs: number) {
  const { apiUrl, credentials: given } = settings;
  const { repositoryPath, ...traits } = HOSTS[settings.host];
  const client = createHostClient(apiUrl, traits, clock, timeoutMs);
  const host = { settings, repositoryPath, client, clock };
  if (given.kind === 'app') {
    const app = githubApp(given, apiUrl, client, clock, timeoutMs);
    return { ...host, credentials: app, app };
  }
  const authorization = bearer(given.token, 'token');
  const credentials: Pick<GithubApp, 'authorize' | 'rejected'> = {
    authorize: async () => authorization,
    rejected: () => {},
  };
  return { ...host, credentials, app: null };
}
