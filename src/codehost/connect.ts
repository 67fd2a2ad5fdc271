import type { KeyObject } from 'node:crypto';
import { createAppAuth } from '@octokit/auth-app';
import { request } from '@octokit/request';
import { fetch, Response } from 'undici';
import { z } from 'zod';
import type { Clock } from '#engine/runtime/clock.ts';
import { parseJson } from '#engine/runtime/exchange.ts';
import {
  type Authorization,
  CodeHostError,
  createHostClient,
  decodeBody,
  type HostClient,
  laterError,
  statusError,
} from './client.ts';

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
  credentials: { readonly kind: 'token'; readonly token: string } | AppCredentials;
}>;

/** Each installation has its own tokens, valid for an hour. */
type AppCredentials = Readonly<{ kind: 'app'; appId: string; privateKey: KeyObject }>;

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
  const authorization = { token: given.token, account: 'token' };
  const credentials: Pick<ReturnType<typeof githubApp>, 'authorize' | 'rejected'> = {
    authorize: async () => authorization,
    rejected: () => {},
  };
  return { ...host, credentials, app: null };
}

/** The only request that is not a GET. */
const TOKENS_PATH = /^\/app\/installations\/\d+\/access_tokens$/;
/** Installations rarely change. */
const INSTALLATION_CACHED_FOR_MS = 60 * 60_000;

const installation = z.object({ id: z.int().min(1) });
const createdToken = z.object({ token: z.string().regex(/^[\x21-\x7e]{1,4000}$/), expires_at: z.string() });

/** Octokit requests and caches tokens, within limits set here. */
function githubApp(
  { appId, privateKey }: AppCredentials,
  apiUrl: string,
  client: HostClient,
  clock: Clock,
  timeoutMs: number,
) {
  const boundedFetch: typeof fetch = (input, init) =>
    clock.abortAfter(timeoutMs, async (signal) => {
      const path = String(input).startsWith(apiUrl) ? String(input).slice(apiUrl.length) : '';
      if (!TOKENS_PATH.test(path)) throw new TypeError('no such request is made of a code host');
      const limits = { signal, redirect: 'error', dispatcher: client.dispatcher } as const;
      const response = await fetch(input, { ...init, ...limits });
      const { status, headers } = response;
      const body = await response.text();
      // Octokit would keep anything for an hour.
      if (response.ok && !createdToken.safeParse(parseJson(body)).success) throw new TypeError('not a token');
      return new Response(body, { status, headers: [...headers] });
    });
  const auth = createAppAuth({
    appId,
    privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    request: request.defaults({
      baseUrl: apiUrl,
      headers: { 'user-agent': 'docs-agent' },
      request: { fetch: boundedFetch },
    }),
  });
  const installations = new Map<string, { readonly id: number; readonly untilMs: number }>();
  const rejected = new Set<string>();

  async function asApp(): Promise<Authorization> {
    const { token } = await auth({ type: 'app' });
    return { token, account: 'app' };
  }

  /** @param isFresh the last token was rejected */
  async function asInstallation(installationId: number, isFresh = false): Promise<Authorization> {
    try {
      const { token } = await auth({ type: 'installation', installationId, refresh: isFresh });
      return { token, account: `installation ${installationId}` };
    } catch (error) {
      // Octokit's errors have the response's status, if any.
      const status = error instanceof Error && 'status' in error ? error.status : null;
      return notInstalled(
        status === 401 || status === 403 || status === 404 ? statusError(status) : laterError('unreachable'),
      );
    }
  }

  async function findInstallation(base: string, signal: AbortSignal): Promise<number> {
    const cached = installations.get(base);
    if (cached !== undefined && cached.untilMs > clock.now()) return cached.id;
    const request = { base, rest: '/installation', authorization: await asApp(), signal };
    const { id } = decodeBody(await client.get(request).catch(notInstalled), installation);
    installations.set(base, { id, untilMs: clock.now() + INSTALLATION_CACHED_FOR_MS });
    return id;
  }

  return {
    asApp,
    asInstallation,
    /** Throws only CodeHostError. */
    authorize: async (repositoryPath: string, signal: AbortSignal): Promise<Authorization> =>
      asInstallation(await findInstallation(repositoryPath, signal), rejected.delete(repositoryPath)),
    /** The host rejected what `authorize` returned. */
    rejected: (repositoryPath: string): void => {
      installations.delete(repositoryPath);
      rejected.add(repositoryPath);
    },
  };
}

function notInstalled(error: unknown): never {
  const isMissing = error instanceof CodeHostError && error.failure.kind === 'not_found';
  throw isMissing ? new CodeHostError({ kind: 'app_not_installed' }) : error;
}
