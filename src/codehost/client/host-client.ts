import type { KeyObject } from 'node:crypto';
import { Pool } from 'undici';
import type { z } from 'zod';
import type { Clock } from '../../engine/runtime/clock.ts';
import { type AnswerHead, exchange, parseJson, parseRetryAfterMs } from '../../engine/runtime/exchange.ts';
import { isWaitOn } from '../../jobs/schedule/schedule.ts';

export type Failure = Readonly<
  /** 404: not there, or not visible. */
  | { kind: 'not_found' }
  /** 401: an expired token, for example. */
  | { kind: 'bad_credentials' }
  | { kind: 'forbidden' }
  | { kind: 'app_not_installed' }
  /** `reason` is for the log. `waitMs`: from the host; null: unknown. */
  | { kind: 'later'; reason: string; waitMs: number | null }
>;

/** Any failure between this program and a code host. Only `src/codehost` knows it. */
export class UnreadableError extends Error {
  readonly failure: Failure;

  constructor(failure: Failure, options?: ErrorOptions) {
    super(failure.kind === 'later' ? failure.reason : failure.kind, options);
    this.name = 'UnreadableError';
    this.failure = failure;
  }
}

export function laterError(reason: string, waitMs: number | null = null): UnreadableError {
  return new UnreadableError({ kind: 'later', reason, waitMs });
}

/** Null for an expected failure: by default, the token may not read it, or it is not there. */
export async function orNull<T>(
  reading: Promise<T>,
  isExpected: (failure: Failure) => boolean = isDenied,
): Promise<T | null> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof UnreadableError && isExpected(error.failure)) return null;
    throw error;
  }
}

export function isDenied({ kind }: Failure): boolean {
  return kind === 'forbidden' || kind === 'not_found';
}

/** Room for a hundred comments of maximum length. An answer is not read beyond it. */
const ANSWER_MAX_BYTES = 8 * 1024 * 1024;
const CONNECTIONS = 4;
const CONNECT_TIMEOUT_MS = 5_000;
const REDIRECTS_MAX = 2;
const ETAG = /^(?:W\/)?"[\x21\x23-\x7e]{1,200}"$/;

export type Authorization = Readonly<{
  headers: Readonly<Record<string, string>>;
  /** The account whose rate limit counts. */
  account: string;
}>;

export type Question = Readonly<{
  /** The path of the repository: `/repos/acme/docs`. */
  base: string;
  /** The rest of the path with its query: `/pulls/14`. */
  rest?: string;
  authorization: Authorization;
  /** From an earlier answer. */
  etag?: string | null;
  signal: AbortSignal;
}>;

export type Answer = Readonly<{
  /** Parsed JSON; absent: unchanged since it had the tag. */
  body?: unknown;
  etag: string | null;
  /** Where the repository is now. */
  base: string;
  headers: AnswerHead['headers'];
}>;

export function decodeAnswer<T>({ body }: Answer, schema: z.ZodType<T>): T {
  const { data, error } = schema.safeParse(body);
  if (error !== undefined) throw laterError('bad_answer');
  return data;
}

type HostClientOptions = Readonly<{
  /** Without a trailing slash; may have a path. */
  apiUrl: string;
  headers: Readonly<Record<string, string>>;
  /** Matches the path of a moved repository. */
  movedTo: RegExp;
  clock: Clock;
  /** For one request, from the connection to the end of the answer. */
  timeoutMs: number;
}>;

export type HostClient = ReturnType<typeof createHostClient>;

/**
 * The API of one code host. It asks that host, and follows only redirects to another path of the same
 * repository.
 */
export function createHostClient({ apiUrl, headers, movedTo, clock, timeoutMs }: HostClientOptions) {
  const api = new URL(apiUrl);
  const root = api.pathname.replace(/(?<!\/)\/+$/, '');
  const pool = new Pool(api.origin, {
    allowH2: false,
    connections: CONNECTIONS,
    connectTimeout: Math.min(CONNECT_TIMEOUT_MS, timeoutMs),
    headersTimeout: 0,
    bodyTimeout: 0,
    maxResponseSize: ANSWER_MAX_BYTES,
  });
  const limits = new Map<string, RateLimit>();
  let lastLimit: RateLimit | null = null;

  async function ask({ base, rest = '', authorization, etag, signal }: Question) {
    const limit = limits.get(authorization.account) ?? new RateLimit();
    limits.set(authorization.account, limit);
    lastLimit = limit;
    const waitMs = limit.waitMs(clock.now());
    if (waitMs > 0) throw laterError('rate_limited', waitMs);
    const request = {
      method: 'GET',
      path: `${root}${base}${rest}`,
      headers: {
        ...{ ...headers, ...authorization.headers },
        ...{ 'accept-encoding': 'identity', 'user-agent': 'docs-agent' },
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
    const isRefusal = isAtLimit(result.head, result.body);
    limit.note(result.head, isRefusal, clock.now());
    if (isRefusal) throw laterError('rate_limited', limit.waitMs(clock.now()));
    return result;
  }

  /** Where the same question is answered now, if that is a repository of the same API; else null. */
  function movedBase({ base, rest = '' }: Question, { headers: { location } }: AnswerHead): string | null {
    if (typeof location !== 'string') return null;
    const url = URL.parse(location, `${api.origin}${root}${base}${rest}`);
    const [path = ''] = rest.split('?', 1);
    if (url === null || url.origin !== api.origin || url.username !== '' || url.password !== '') return null;
    if (!url.pathname.startsWith(`${root}/`) || !url.pathname.endsWith(path)) return null;
    const moved = url.pathname.slice(root.length, url.pathname.length - path.length);
    return movedTo.test(moved) ? moved : null;
  }

  return {
    /** Throws only UnreadableError. */
    get: async (question: Question): Promise<Answer> => {
      let { base } = question;
      for (let redirects = 0; redirects <= REDIRECTS_MAX; redirects += 1) {
        const asked = { ...question, base };
        const { head, body } = await ask(asked);
        const { status, headers } = head;
        if ([301, 302, 307, 308].includes(status)) {
          const moved = movedBase(asked, head);
          if (moved === null) throw laterError('redirected_elsewhere');
          base = moved;
          continue;
        }
        if (status === 304 && question.etag) return { etag: question.etag, base, headers };
        if (status !== 200) throw refusal(status);
        const json = body === null ? undefined : parseJson(body);
        if (json === undefined) throw laterError('bad_answer');
        const etag = typeof headers.etag === 'string' && ETAG.test(headers.etag) ? headers.etag : null;
        return { body: json, etag, base, headers };
      }
      throw laterError('redirected_too_often');
    },
    /** Requests that any account has left, by the last answer; null: unknown. */
    remaining: () => lastLimit?.remaining ?? null,
    /** Connects to the API's host, whatever the URL. */
    dispatcher: pool,
    close: () => pool.destroy(),
  };
}

export function refusal(status: number): UnreadableError {
  if (status === 401) return new UnreadableError({ kind: 'bad_credentials' });
  if (status === 403) return new UnreadableError({ kind: 'forbidden' });
  if (status === 404 || status === 410) return new UnreadableError({ kind: 'not_found' });
  return laterError(`status_${status}`);
}

/** Left to other users of the account: below this share of the limit, nothing is asked. */
const LEFT_TO_OTHERS = 0.5;
/** GitHub's default wait when it does not say when the limit ends. */
const DEFAULT_WAIT_MS = 60_000;
const LONGEST_WAIT_MS = 60 * 60_000;

/** What one account may still ask of a code host, from the headers of its answers. */
class RateLimit {
  #waitUntilMs = 0;
  remaining: number | null = null;

  /** How long nothing may be asked; 0: now. */
  waitMs(nowMs: number): number {
    return isWaitOn(this.#waitUntilMs, LONGEST_WAIT_MS, nowMs) ? this.#waitUntilMs - nowMs : 0;
  }

  /** @param isRefusal the answer says that there were too many requests */
  note({ headers }: AnswerHead, isRefusal: boolean, nowMs: number): void {
    const limit = wholeNumber(headers['x-ratelimit-limit'] ?? headers['ratelimit-limit']);
    const remaining = wholeNumber(headers['x-ratelimit-remaining'] ?? headers['ratelimit-remaining']);
    const resetS = wholeNumber(headers['x-ratelimit-reset'] ?? headers['ratelimit-reset']);
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
      const askedMs = parseRetryAfterMs(retryAfter, date, nowMs, LONGEST_WAIT_MS);
      wait(askedMs ?? (remaining === 0 ? resetInMs : null) ?? DEFAULT_WAIT_MS);
    } else if (limit !== null && remaining !== null && remaining < limit * LEFT_TO_OTHERS) {
      wait(resetInMs ?? DEFAULT_WAIT_MS);
    }
  }
}

/** GitHub answers 403 as well as 429. */
function isAtLimit({ status, headers }: AnswerHead, body: string | null): boolean {
  if (status === 429) return true;
  return (
    status === 403 &&
    (headers['retry-after'] !== undefined ||
      headers['x-ratelimit-remaining'] === '0' ||
      /rate limit|abuse detection/i.test(body ?? ''))
  );
}

function wholeNumber(header: string | string[] | undefined): number | null {
  return typeof header === 'string' && /^\d{1,15}$/.test(header) ? Number(header) : null;
}

/** As whom a code host is asked. */
export type CredentialSettings = Readonly<
  | { kind: 'token'; token: string }
  /** A GitHub App: each installation has its own tokens, valid for an hour. */
  | { kind: 'app'; appId: string; privateKey: KeyObject }
>;

export interface Credentials {
  /** For requests about a repository, by its path. Throws only UnreadableError. */
  authorize(repositoryPath: string, signal: AbortSignal): Promise<Authorization>;
  /** The host no longer accepts what `authorize` returned. */
  rejected(repositoryPath: string): void;
}

export function tokenCredentials(token: string): Credentials {
  const authorization = { headers: bearer(token), account: 'token' };
  return { authorize: async () => authorization, rejected: () => {} };
}

export function bearer(token: string) {
  return { authorization: `Bearer ${token}` };
}
