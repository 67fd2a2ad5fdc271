import type { KeyObject } from 'node:crypto';
import { createAppAuth } from '@octokit/auth-app';
import { Pool } from 'undici';
import { z } from 'zod';
import { isWaitOn } from '#jobs/schedule/schedule.ts';
import type { Clock } from '#runtime/clock.ts';
import { type AnswerHead, exchange, parseJson, parseRetryAfterMs } from '#runtime/exchange.ts';

export type Failure = Readonly<
  /** Missing or hidden: hosts do not tell which. */
  | { outcome: 'not_found' }
  | { outcome: 'no_access'; reason: 'bad_credentials' | 'not_allowed' | 'app_not_installed' }
  /** `reason`: a word for the log. `waitMs`: as the host asks. */
  | { outcome: 'later'; reason: string; waitMs: number | null }
>;

export class CodeHostError extends Error {
  readonly failure: Failure;

  constructor(failure: Failure) {
    super('reason' in failure ? failure.reason : failure.outcome);
    this.name = 'CodeHostError';
    this.failure = failure;
  }
}

function laterError(reason: string, waitMs: number | null = null): CodeHostError {
  return new CodeHostError({ outcome: 'later', reason, waitMs });
}

function statusError(status: number): CodeHostError {
  if (status === 401) return new CodeHostError({ outcome: 'no_access', reason: 'bad_credentials' });
  if (status === 403) return new CodeHostError({ outcome: 'no_access', reason: 'not_allowed' });
  return status === 404 || status === 410
    ? new CodeHostError({ outcome: 'not_found' })
    : laterError(`status_${status}`);
}

/** Null for an expected failure. */
export function orNull<T>(reading: Promise<T>, isExpected = isDenied): Promise<T | null> {
  return reading.catch((error: unknown) => {
    if (error instanceof CodeHostError && isExpected(error.failure)) return null;
    throw error;
  });
}

export function isDenied(failure: Failure): boolean {
  return failure.outcome === 'not_found' || failure.reason === 'not_allowed';
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
  method?: 'GET' | 'POST';
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

type HostClient = ReturnType<typeof createHostClient>;

/**
 * Follows redirects only to a repository that has moved, and there asks for the same.
 * @param timeoutMs for one whole request
 */
function createHostClient({ apiUrl, host }: CodeHostSettings, clock: Clock, timeoutMs: number) {
  const { headers, movedTo } = HOSTS[host];
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
  /** By account. */
  const limitedUntilMs = new Map<string, number>();
  let remaining: number | null = null;

  function waitMsOf(account: string) {
    const untilMs = limitedUntilMs.get(account) ?? 0;
    return isWaitOn(untilMs, LONGEST_WAIT_MS, clock.now()) ? untilMs - clock.now() : 0;
  }

  async function send({ method = 'GET', base, rest = '', authorization, etag, signal }: HostRequest) {
    const { token, account } = authorization;
    const waitMs = waitMsOf(account);
    if (waitMs > 0) throw laterError('rate_limited', waitMs);
    const request = {
      method,
      path: `${root}${base}${rest}`,
      headers: {
        ...headers,
        authorization: `Bearer ${token}`,
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
    const { head, body } = result;
    const isRefusal = isOverLimit(head, body);
    remaining = limitIn(head, 'remaining') ?? remaining;
    const wantedMs = waitMsIn(head, isRefusal, clock.now());
    limitedUntilMs.set(account, clock.now() + Math.max(waitMsOf(account), wantedMs));
    if (isRefusal) throw laterError('rate_limited', waitMsOf(account));
    return { head, body };
  }

  /** Null: outside of the API, or no repository. */
  function movedBase({ base, rest = '' }: HostRequest, { headers: { location } }: AnswerHead) {
    if (typeof location !== 'string') return null;
    const url = URL.parse(location, `${api.origin}${root}${base}${rest}`);
    if (url?.origin !== api.origin || !url.pathname.startsWith(`${root}/`)) return null;
    return movedTo.exec(url.pathname.slice(root.length))?.[0] ?? null;
  }

  return {
    /** Throws only CodeHostError. */
    ask: async (request: HostRequest): Promise<HostResponse> => {
      let { base } = request;
      for (let redirects = 0; redirects <= REDIRECTS_MAX; redirects += 1) {
        const sent = { ...request, base };
        const { head, body } = await send(sent);
        const { status, headers } = head;
        if ([301, 302, 307, 308].includes(status)) {
          const moved = request.method === 'POST' ? null : movedBase(sent, head);
          if (moved === null) throw laterError('redirected_elsewhere');
          base = moved;
          continue;
        }
        if (status === 304 && request.etag) return { etag: request.etag, base, headers };
        if (status !== 200 && status !== 201) throw statusError(status);
        const json = body === null ? undefined : parseJson(body);
        if (json === undefined) throw laterError('bad_answer');
        const etag = typeof headers.etag === 'string' && ETAG.test(headers.etag) ? headers.etag : null;
        return { body: json, etag, base, headers };
      }
      throw laterError('redirected_too_often');
    },
    remaining: () => remaining,
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

function limitIn({ headers }: AnswerHead, name: 'limit' | 'remaining' | 'reset'): number | null {
  const header = headers[`x-ratelimit-${name}`] ?? headers[`ratelimit-${name}`];
  return typeof header === 'string' && /^\d{1,15}$/.test(header) ? Number(header) : null;
}

/** 0: the account may go on. */
function waitMsIn(head: AnswerHead, isRefusal: boolean, nowMs: number): number {
  const limit = limitIn(head, 'limit');
  const remaining = limitIn(head, 'remaining');
  const resetS = limitIn(head, 'reset');
  const { date, 'retry-after': retryAfter } = head.headers;
  // By the host's clock, if it tells the time.
  const serverMs = typeof date === 'string' ? Date.parse(date) : Number.NaN;
  const resetInMs = resetS === null ? null : resetS * 1000 - (Number.isNaN(serverMs) ? nowMs : serverMs);
  const isLow = limit !== null && remaining !== null && remaining < limit * LEFT_TO_OTHERS;
  let waitMs = 0;
  if (isRefusal) {
    const requestedMs = parseRetryAfterMs(retryAfter, date, nowMs, LONGEST_WAIT_MS);
    waitMs = requestedMs ?? (remaining === 0 ? resetInMs : null) ?? DEFAULT_WAIT_MS;
  } else if (isLow) waitMs = resetInMs ?? DEFAULT_WAIT_MS;
  return Math.min(Math.max(waitMs, 0), LONGEST_WAIT_MS);
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
    movedTo: /^\/repositories\/\d{1,20}(?=\/|$)/,
  },
  gitlab: {
    headers: { accept: 'application/json' },
    repositoryPath: (repository: string) => `/projects/${encodeURIComponent(repository)}`,
    movedTo: /^\/projects\/\d{1,20}(?=\/|$)/,
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

/** Each installation has its own tokens. */
type AppCredentials = Readonly<{ kind: 'app'; appId: string; privateKey: KeyObject }>;

export type CodeHost = ReturnType<typeof connect>;

export function connect(settings: CodeHostSettings, clock: Clock, timeoutMs: number) {
  const { host, credentials: given } = settings;
  const client = createHostClient(settings, clock, timeoutMs);
  const credentials = given.kind === 'app' ? githubApp(given, client, clock) : ownToken(given.token);
  return { settings, repositoryPath: HOSTS[host].repositoryPath, client, clock, credentials };
}

function ownToken(token: string) {
  return {
    authorize: async (): Promise<Authorization> => ({ token, account: 'token' }),
    rejected: (): void => {},
  };
}

export type GithubApp = ReturnType<typeof githubApp>;

/** Installations rarely change, and their tokens are valid for an hour. */
const KEPT_FOR_MS = 59 * 60_000;

const installation = z.object({ id: z.int().min(1) });
const createdToken = z.object({ token: z.string().regex(/^[\x21-\x7e]{1,4000}$/) });

function githubApp({ appId, privateKey }: AppCredentials, client: HostClient, clock: Clock) {
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  const auth = createAppAuth({ appId, privateKey: pem });
  /** By path. */
  const answers = new Map<string, { readonly answer: unknown; readonly untilMs: number }>();

  async function asApp(): Promise<Authorization> {
    const { token } = await auth({ type: 'app' });
    return { token, account: 'app' };
  }

  async function ask<T>(request: Omit<HostRequest, 'authorization'>, schema: z.ZodType<T>): Promise<T> {
    const path = `${request.base}${request.rest ?? ''}`;
    const kept = answers.get(path);
    if (kept !== undefined && kept.untilMs > clock.now()) return kept.answer as T;
    const response = await client.ask({ ...request, authorization: await asApp() }).catch(notInstalled);
    const answer = decodeBody(response, schema);
    answers.set(path, { answer, untilMs: clock.now() + KEPT_FOR_MS });
    return answer;
  }

  async function asInstallation(id: number, signal: AbortSignal): Promise<Authorization> {
    const base = `/app/installations/${id}/access_tokens`;
    const { token } = await ask({ method: 'POST', base, signal }, createdToken);
    return { token, account: `installation ${id}` };
  }

  return {
    asApp,
    asInstallation,
    /** Throws only CodeHostError. */
    authorize: async (repositoryPath: string, signal: AbortSignal): Promise<Authorization> => {
      const { id } = await ask({ base: repositoryPath, rest: '/installation', signal }, installation);
      return asInstallation(id, signal);
    },
    /** The host rejected what `authorize` returned. */
    rejected: (): void => answers.clear(),
  };
}

function notInstalled(error: unknown): never {
  const isMissing = error instanceof CodeHostError && error.failure.outcome === 'not_found';
  throw isMissing ? new CodeHostError({ outcome: 'no_access', reason: 'app_not_installed' }) : error;
}
