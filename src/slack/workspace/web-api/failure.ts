import {
  WebAPIHTTPError,
  WebAPIPlatformError,
  WebAPIRateLimitedError,
  WebAPIRequestError,
} from '@slack/web-api';
import { TooLateToSendError } from '#engine/runtime/exchange.ts';
import { classOf } from '../../protocol/error-codes.ts';

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

export class NotSentError extends Error {
  constructor(cause: Error) {
    super(cause.message, { cause });
    this.name = 'NotSentError';
  }
}

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
export const TOO_LATE = slackFailure('retry', 'too_late_to_send');

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

/** Slack refused: nothing happened, but it may work later. */
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
  return (
    (error instanceof WebAPIRequestError && connectionFailure(error)) ||
    slackFailure('unknown', error instanceof Error ? error.name : 'error')
  );
}

function classifyCode(code: string) {
  // A proxy's HTML page arrives as an "error code".
  if (!ERROR_CODE.test(code)) return slackFailure('unknown', 'bad_answer');
  switch (classOf(code)) {
    case 'unclear':
      return slackFailure('unknown', code);
    case 'limited':
      return slackFailure('retry', 'ratelimited');
    case 'admin':
      return slackFailure('retry', code, { needsAdmin: true });
    case 'final':
      return slackFailure('refused', code);
    case 'passing':
      return slackFailure('retry', code, { isPassing: true });
  }
}

/**
 * The SDK wraps fetch, which wraps the socket. A code does not show whether the request was sent: a route can
 * also fail later.
 */
function connectionFailure(error: Error) {
  let outcome: SlackFailure['outcome'] = 'unknown';
  let current: unknown = error;
  for (let depth = 0; depth < 6 && current instanceof Error; depth += 1) {
    if (current instanceof NotSentError) outcome = 'retry';
    const { code } = current as { code?: unknown };
    if (typeof code === 'string' && CONNECTION_CODES.has(code)) {
      return slackFailure(outcome, code.toLowerCase());
    }
    current = current instanceof AggregateError ? current.errors[0] : current.cause;
  }
  return outcome === 'retry' ? slackFailure('retry', 'not_sent') : null;
}
