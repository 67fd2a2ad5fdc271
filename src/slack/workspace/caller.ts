import { stringify } from 'node:querystring';
import type { Logger as BoltLogger } from '@slack/bolt';
import {
  type WebAPICallResult,
  WebAPIHTTPError,
  WebAPIPlatformError,
  WebAPIRateLimitedError,
  WebAPIRequestError,
} from '@slack/web-api';
import { Agent } from 'undici';
import { type Clock, systemClock } from '#runtime/clock.ts';
import { exchange, parseJson, SEND_WITHIN_MS, TooLateToSendError } from '#runtime/exchange.ts';
import type { LogFields, Logger } from '#runtime/redact.ts';
import { classOf } from '../protocol/error-codes.ts';

type Arguments = Readonly<Record<string, unknown>>;

/** Throws an error that `classify` knows. */
export type SlackClient = (method: string, args: Arguments) => Promise<WebAPICallResult>;

const TIMEOUT_MS = 10_000;
const CONNECTIONS = 100;

/**
 * Sends each request once: the SDK's retries would double posts, and its rate-limit waits would block every
 * channel. The queue retries.
 */
export function slackClient(apiUrl: string | null, library: BoltLogger, timeoutMs = TIMEOUT_MS): SlackClient {
  const dispatcher = new Agent({ connections: CONNECTIONS });
  const base = (apiUrl ?? 'https://slack.com/api').replace(/\/?$/, '/');
  return async (method, { token, ...args }) => {
    const { origin, pathname: path } = new URL(method, base);
    const headers = {
      accept: 'application/json',
      'content-type': 'application/x-www-form-urlencoded',
      'user-agent': 'docs-agent',
      ...(typeof token === 'string' && { authorization: `Bearer ${token}` }),
    };
    const fields = Object.entries(args)
      .filter(([, value]) => value !== undefined && value !== null)
      .map(([name, value]) => [name, typeof value === 'object' ? JSON.stringify(value) : String(value)]);
    const body = stringify(Object.fromEntries(fields));
    const sendByMs = Date.now() + SEND_WITHIN_MS;
    const answer = await systemClock.abortAfter(timeoutMs, (signal) =>
      exchange(dispatcher, { origin, path, method: 'POST', headers, body }, { signal, sendByMs }),
    );
    if (answer.kind === 'not_sent') throw new NotSentError(answer.cause);
    if (answer.cause !== null) throw new WebAPIRequestError(answer.cause);
    const { status, headers: answered } = answer.head;
    if (status >= 300 && status < 400) {
      throw new WebAPIRequestError(new Error('Slack redirects the request, which is not followed'));
    }
    const retryAfterSeconds = Number.parseInt(String(answered['retry-after']), 10);
    if (status === 429 && retryAfterSeconds >= 0) throw new WebAPIRateLimitedError(retryAfterSeconds);
    if (status !== 200) throw new WebAPIHTTPError(status, '', {}, answer.body);
    const parsed = parseJson(answer.body);
    const isResult = typeof parsed === 'object' && parsed !== null && 'ok' in parsed;
    type Result = WebAPICallResult & { error?: unknown };
    const result = (isResult ? parsed : { ok: false, error: answer.body }) as Result;
    const { ok, error, response_metadata: metadata = {} } = result;
    const errors = metadata.messages?.filter((message) => message.startsWith('[ERROR]')) ?? [];
    for (const message of errors) library.error(message);
    if (!ok) throw new WebAPIPlatformError({ ...result, error: String(error) });
    const { 'x-oauth-scopes': scopes, date } = answered;
    const granted = typeof scopes === 'string' && { scopes: scopes.split(',').map((one) => one.trim()) };
    return { ...result, response_metadata: { ...metadata, ...granted, ...(date && { date }) } };
  };
}

/** The `response_url` is untrusted: only Slack's server (or `apiUrl`'s) gets messages. */
export function answerFetch(apiUrl: string | null): typeof globalThis.fetch {
  const { protocol, hostname } = new URL(apiUrl ?? 'https://slack.com');
  const isSlacks = ({ host, hostname: own }: URL) =>
    apiUrl === null ? host === 'hooks.slack.com' : [hostname, `hooks.${hostname}`].includes(own);
  return async (address, init) => {
    const url = URL.parse(String(address));
    const isSafe = url?.username === '' && url.password === '' && ['https:', protocol].includes(url.protocol);
    if (!isSafe || !isSlacks(url)) throw new Error("the response_url is not Slack's");
    // Not `abortAfter`: the limit must also cover the caller's read of the body.
    return fetch(url, { ...init, redirect: 'error', signal: AbortSignal.timeout(TIMEOUT_MS) });
  };
}

/** Logs no payloads: the libraries' debug level writes whole messages. */
export function boltLogger(logger: Logger): BoltLogger {
  const at =
    (level: 'debug' | 'warn' | 'error') =>
    (...parts: unknown[]) =>
      logger[level]('slack_library', { detail: parts.map(described).join(' ') });
  return {
    debug: () => {},
    info: at('debug'),
    warn: at('warn'),
    error: at('error'),
    // Tells the libraries not to build payloads for `debug`.
    getLevel: () => 'info' as ReturnType<BoltLogger['getLevel']>,
    setLevel: () => {},
    setName: () => {},
  };
}

function described(part: unknown) {
  if (part instanceof Error) {
    return `${part.name}: ${part.message}${'code' in part ? ` (${String(part.code)})` : ''}`;
  }
  return typeof part === 'object' && part !== null ? '[object]' : String(part);
}

const TOKEN_WITHIN_MS = 2_000;

/** `args.token` replaces the bot's. Throws SlackCallError. */
export type SlackCaller = <T extends WebAPICallResult>(method: string, args?: Arguments) => Promise<T>;

export type CallerParts = Readonly<{
  call: SlackCaller;
  clock: Clock;
  log: Logger;
}>;

/** Throws SlackCallError if there is none. */
export type BotToken = () => Promise<string>;

export function createCaller(client: SlackClient, botToken: BotToken): SlackCaller {
  return async <T extends WebAPICallResult>(method: string, args: Arguments = {}) => {
    const untilMs = Date.now() + TOKEN_WITHIN_MS;
    const own = typeof args.token === 'string' ? args.token : null;
    const token = own ?? (await systemClock.timeout(TOKEN_WITHIN_MS, botToken(), null));
    // The machine's clock, as for the request: a frozen process must not send when it wakes.
    if (token === null || Date.now() > untilMs) throw new SlackCallError(method, TOO_LATE);
    try {
      return (await client(method, { ...args, token })) as T;
    } catch (error) {
      throw new SlackCallError(method, classify(error), error);
    }
  };
}

export function loggedCaller(call: SlackCaller, log: Logger, clock: Clock, teamId: string): SlackCaller {
  return <T extends WebAPICallResult>(method: string, args?: Arguments) => {
    const startedAtMs = clock.now();
    const note = (answer: LogFields) => {
      const durationMs = clock.now() - startedAtMs;
      log.debug('slack_called', { method, team_id: teamId, duration_ms: durationMs, ...answer });
    };
    const asked = call<T>(method, args);
    asked.then(
      () => note({ outcome: 'done' }),
      (error: unknown) => {
        if (!(error instanceof SlackCallError)) return;
        const { outcome, code, needsAdmin } = error.failure;
        note({ outcome: needsAdmin ? 'needs_admin' : outcome, reason: code });
      },
    );
    return asked;
  };
}

const SECOND_AFTER_MS = 400;

/** Repeats a safe call after a passing failure, or when there is no answer for a while. */
export async function withSecondTry<T>(ask: () => Promise<T>, clock: Clock): Promise<T> {
  const first = ask();
  const answered = first.then(() => false, mayPass);
  if (!(await clock.timeout(SECOND_AFTER_MS, answered, true))) return first;
  const second = ask();
  return Promise.any([first, second]).catch(() => second);
}

/** Repeats a safe call: one failed page should not end a read of many. */
export function againIfFailed<T>(ask: () => Promise<T>): Promise<T> {
  return ask().catch((error: unknown) => {
    if (!mayPass(error)) throw error;
    return ask();
  });
}

/** Not after a rate limit. */
function mayPass(error: unknown) {
  if (!(error instanceof SlackCallError)) return false;
  const { outcome, retryAfterMs, needsAdmin } = error.failure;
  return outcome !== 'refused' && retryAfterMs === null && !needsAdmin;
}

/** `retry`: nothing happened. `refused`: nothing happened or ever will. `unknown`: may have happened. */
export type SlackFailure = Readonly<{
  outcome: 'retry' | 'refused' | 'unknown';
  /** Slack's error code, or ours. */
  code: string;
  retryAfterMs: number | null;
  /** The token or a scope is wrong. */
  needsAdmin: boolean;
  /** Slack refused for now, or with an unknown code. */
  isPassing: boolean;
}>;

export class SlackCallError extends Error {
  readonly failure: SlackFailure;

  constructor(method: string, failure: SlackFailure, cause: unknown = null) {
    super(`Slack's ${method} failed: ${failure.code}`, { cause });
    this.name = 'SlackCallError';
    this.failure = failure;
  }
}

/** No byte went out. */
class NotSentError extends WebAPIRequestError {}

const CONNECTION_CODES = new Set([
  'EAI_AGAIN',
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'TOO_LATE_TO_SEND',
  'UND_ERR_CONNECT_TIMEOUT',
]);
/** A longer `Retry-After` is a mistake and would silence the bot. */
export const LONGEST_RETRY_AFTER_MS = 300_000;
const ERROR_CODE = /^[a-z0-9_-]{1,80}$/i;

export function slackFailure(
  outcome: SlackFailure['outcome'],
  code: string,
  more: Partial<SlackFailure> = {},
): SlackFailure {
  return { retryAfterMs: null, needsAdmin: false, isPassing: false, ...more, outcome, code };
}

export function rateLimited(retryAfterMs: number): SlackFailure {
  return slackFailure('retry', 'ratelimited', { retryAfterMs });
}

/** Not sent: too much time has passed. */
const TOO_LATE = slackFailure('retry', 'too_late_to_send');

/** Without a token. Unless `retryAfterMs` is given, the pauses grow. */
export function noToken(code: string, how: Partial<SlackFailure> = { needsAdmin: true }): SlackCallError {
  return new SlackCallError('token', slackFailure('retry', code, how));
}

/** Rethrows other errors. */
export function failureIn(error: unknown): SlackFailure {
  if (error instanceof TooLateToSendError) return TOO_LATE;
  if (error instanceof SlackCallError) return error.failure;
  throw error;
}

/** Nothing happened, but it may work later. */
export function isRefusal({ outcome, isPassing }: SlackFailure): boolean {
  return outcome === 'refused' || isPassing;
}

/** Like `isRefusal`, and also for missing rights and Slack's own errors; not for rate limits. */
export function isErrorAnswer(failure: SlackFailure): boolean {
  return isRefusal(failure) || failure.needsAdmin || classOf(failure.code) === 'unclear';
}

/** What is not certain is `unknown`. */
export function classify(error: unknown): SlackFailure {
  if (error instanceof WebAPIRateLimitedError) {
    return rateLimited(Math.min(error.retryAfter * 1000, LONGEST_RETRY_AFTER_MS));
  }
  if (error instanceof WebAPIPlatformError) return classifyCode(error.data.error);
  if (error instanceof WebAPIHTTPError && error.statusCode < 500) {
    return slackFailure('retry', `http_${error.statusCode}`);
  }
  const code = connectionCode(error);
  if (error instanceof NotSentError) return slackFailure('retry', code ?? 'not_sent');
  return slackFailure('unknown', code ?? (error instanceof Error ? error.name : 'error'));
}

const OUTCOMES = {
  unclear: 'unknown',
  limited: 'retry',
  admin: 'retry',
  final: 'refused',
  passing: 'retry',
} as const;

function classifyCode(code: string) {
  // A proxy's HTML page arrives as an "error code".
  if (!ERROR_CODE.test(code)) return slackFailure('unknown', 'bad_answer');
  const kind = classOf(code);
  const more = { needsAdmin: kind === 'admin', isPassing: kind === 'passing' };
  return slackFailure(OUTCOMES[kind], kind === 'limited' ? 'ratelimited' : code, more);
}

/**
 * The SDK wraps fetch, which wraps the socket. A code does not show whether the request was sent: a route can
 * also fail later.
 */
function connectionCode(error: unknown) {
  let current = error instanceof WebAPIRequestError ? error.cause : null;
  for (let depth = 0; depth < 5 && current instanceof Error; depth += 1) {
    const { code } = current as { code?: unknown };
    if (typeof code === 'string' && CONNECTION_CODES.has(code)) return code.toLowerCase();
    current = current instanceof AggregateError ? current.errors[0] : current.cause;
  }
  return null;
}
