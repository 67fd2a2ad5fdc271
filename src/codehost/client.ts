import type { KeyObject } from 'node:crypto';
import { createAppAuth } from '@octokit/auth-app';
import { request } from '@octokit/request';
import { fetch, Pool, Response } from 'undici';
import { z } from 'zod';
import { isWaitOn } from '#jobs/schedule/schedule.ts';
import type { Clock } from '#runtime/clock.ts';
import { type AnswerHead, exchange, parseJson, parseRetryAfterMs } from '#runtime/exchange.ts';

type Failure = Readonly<
  /** `not_found`: or not visible to the account. */
  | { kind: 'not_found' | 'bad_credentials' | 'forbidden' | 'app_not_installed' }
  /** `reason`: a word for the log. `waitMs`: as the host asks. */
  | { kind: 'later'; reason: string; waitMs: number | null }
>;

export class CodeHostError extends Error {
  readonly failure: Failure;

  constructor(failure: Failure) {
    super(failure.kind === 'later' ? failure.reason : failure.kind);
    this.name = 'CodeHostError';
    this.failure = failure;
  }
}

function laterError(reason: string, waitMs: number | null = null): CodeHostError {
  return new CodeHostError({ kind: 'later', reason, waitMs });
}

function statusError(status: number): CodeHostError {
  if (status === 401) return new CodeHostError({ kind: 'bad_credentials' });
  if (status === 403) return new CodeHostError({ kind: 'forbidden' });
  if (status === 404 || status === 410) return new CodeHostError({ kind: 'not_found' });
  return laterError(`status_${status}`);
}

/** Null for an expected failure. */
export function orNull<T>(reading: Promise<T>, isExpected = isDenied): Promise<T | null> {
  return reading.catch((error: unknown) => {
    if (error instanceof CodeHostError && isExpected(error.failure)) return null;
    throw error;
  });
}

export function isDenied({ kind }: Failure): boolean {
  return kind === 'forbidden' || kind === 'not_found';
}

/** A hundred comments of the maximum length. */
const RESPONSE_MAX_BYTES = 8 * 1024 * 1024;
const CONNECTIONS = 4;
const CONNECT_TIMEOUT_MS = 5_000;
const REDIRECTS_MAX = 2;
const ETAG = /^(?:W\/)?"[\x21\x23-\x7e]{1,200}"$/;

/** Each account has its own limit. */
export type Authorization = Readonly<{ token: string; account: string }>;

type HostRequest = Readonly<{
  /** `/repos/acme/docs`. */
  base: string;
  /** `/pulls/14`, with its query. */
  rest?: string;
  authorization: Authorization;
  etag?: string | null;
  signal: AbortSignal;
}>;

export type HostResponse = Readonly<{
  /** JSON; absent: unchanged since `etag`. */
  body?: unknown;
  etag: string | null;
  /** The repository may have moved. */
  base: string;
  headers: AnswerHead['headers'];
}>;

export function decodeBody<T>({ body }: HostResponse, schema: z.ZodType<T>): T {
  const { data, error } = schema.safeParse(body);
  if (error !== undefined) throw laterError('bad_answer');
  return data;
}

export type HostClient = ReturnType<typeof createHostClient>;

/**
 * Follows only redirects to another path of the same repository.
 * @param movedTo matches such paths
 * @param timeoutMs for one whole request
 */
export function createHostClient(
  apiUrl: string,
  { headers, movedTo }: { readonly headers: Readonly<Record<string, string>>; readonly movedTo: RegExp },
  clock: Clock,
  timeoutMs: number,
) {
  const api = new URL(apiUrl);
  const root = api.pathname.replace(/(?<!\/)\/+$/, '');
  const pool = new Pool(api.origin, {
    allowH2: false,
    connections: CONNECTIONS,
    connectTimeout: Math.min(CONNECT_TIMEOUT_MS, timeoutMs),
    headersTimeout: 0,
    bodyTimeout: 0,
    maxResponseSize: RESPONSE_MAX_BYTES,
  });
  const limits = new Map<string, RateLimit>();
  let lastLimit: RateLimit | null = null;

  async function send({ base, rest = '', authorization, etag, signal }: HostRequest) {
    const limit = limits.get(authorization.account) ?? new RateLimit();
    limits.set(authorization.account, limit);
    lastLimit = limit;
    const waitMs = limit.waitMs(clock.now());
    if (waitMs > 0) throw laterError('rate_limited', waitMs);
    const request = {
      method: 'GET',
      path: `${root}${base}${rest}`,
      headers: {
        ...headers,
        authorization: `Bearer ${authorization.token}`,
        'accept-encoding': 'identity',
        'user-agent': 'docs-agent',
        ...(etag && { 'if-none-match': etag }),
      },
    };
    const result = await clock.abortAfter(timeoutMs, (tooLate) =>
      exchange(pool, request, {
        signal: AbortSignal.any([signal, tooLate]),
        sendByMs: Number.POSITIVE_INFINITY,
      }),
    );
    if (result.kind !== 'answered') throw laterError('unreachable');
    const isRefusal = isOverLimit(result.head, result.body);
    limit.note(result.head, isRefusal, clock.now());
    if (isRefusal) throw laterError('rate_limited', limit.waitMs(clock.now()));
    return result;
  }

  /** Null: outside of the API, or no repository. */
  function movedBase({ base, rest = '' }: HostRequest, { headers: { location } }: AnswerHead) {
    if (typeof location !== 'string') return null;
    const url = URL.parse(location, `${api.origin}${root}${base}${rest}`);
    const [path = ''] = rest.split('?', 1);
    if (url === null || url.origin !== api.origin || url.username !== '' || url.password !== '') return null;
    if (!url.pathname.startsWith(`${root}/`) || !url.pathname.endsWith(path)) return null;
    const moved = url.pathname.slice(root.length, url.pathname.length - path.length);
    return movedTo.test(moved) ? moved : null;
  }

  return {
    /** Throws only CodeHostError. */
    get: async (request: HostRequest): Promise<HostResponse> => {
      let { base } = request;
      for (let redirects = 0; redirects <= REDIRECTS_MAX; redirects += 1) {
        const sent = { ...request, base };
        const { head, body } = await send(sent);
        const { status, headers } = head;
        if ([301, 302, 307, 308].includes(status)) {
          const moved = movedBase(sent, head);
          if (moved === null) throw laterError('redirected_elsewhere');
          base = moved;
          continue;
        }
        if (status === 304 && request.etag) return { etag: request.etag, base, headers };
        if (status !== 200) throw statusError(status);
        const json = body === null ? undefined : parseJson(body);
        if (json === undefined) throw laterError('bad_answer');
        const etag = typeof headers.etag === 'string' && ETAG.test(headers.etag) ? headers.etag : null;
        return { body: json, etag, base, headers };
      }
      throw laterError('redirected_too_often');
    },
    remaining: () => lastLimit?.remaining ?? null,
    /** Connects to the API's host, whatever the URL. */
    dispatcher: pool,
    close: () => pool.destroy(),
  };
}

/** The share kept for the account's other users. */
const LEFT_TO_OTHERS = 0.5;
/** GitHub's rule if it names no end of the limit. */
const DEFAULT_WAIT_MS = 60_000;
const LONGEST_WAIT_MS = 60 * 60_000;

class RateLimit {
  #waitUntilMs = 0;
  remaining: number | null = null;

  waitMs(nowMs: number): number {
    return isWaitOn(this.#waitUntilMs, LONGEST_WAIT_MS, nowMs) ? this.#waitUntilMs - nowMs : 0;
  }

  note({ headers }: AnswerHead, isRefusal: boolean, nowMs: number): void {
    const number = (name: string) => {
      const header = headers[`x-ratelimit-${name}`] ?? headers[`ratelimit-${name}`];
      return typeof header === 'string' && /^\d{1,15}$/.test(header) ? Number(header) : null;
    };
    const [limit, remaining, resetS] = [number('limit'), number('remaining'), number('reset')];
    this.remaining = remaining ?? this.remaining;
    const { date, 'retry-after': retryAfter } = headers;
    const wait = (waitMs: number) => {
      const boundedMs = Math.min(Math.max(waitMs, 0), LONGEST_WAIT_MS);
      this.#waitUntilMs = nowMs + Math.max(this.waitMs(nowMs), boundedMs);
    };
    // By the host's clock, if it tells the time.
    const serverMs = typeof date === 'string' ? Date.parse(date) : Number.NaN;
    const resetInMs = resetS === null ? null : resetS * 1000 - (Number.isNaN(serverMs) ? nowMs : serverMs);
    if (isRefusal) {
      const requestedMs = parseRetryAfterMs(retryAfter, date, nowMs, LONGEST_WAIT_MS);
      wait(requestedMs ?? (remaining === 0 ? resetInMs : null) ?? DEFAULT_WAIT_MS);
    } else if (limit !== null && remaining !== null && remaining < limit * LEFT_TO_OTHERS) {
      wait(resetInMs ?? DEFAULT_WAIT_MS);
    }
  }
}

/** GitHub also answers 403. */
function isOverLimit({ status, headers }: AnswerHead, body: string | null) {
  if (status === 429) return true;
  return (
    status === 403 &&
    (headers['retry-after'] !== undefined ||
      headers['x-ratelimit-remaining'] === '0' ||
      /rate limit|abuse detection/i.test(body ?? ''))
  );
}

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
