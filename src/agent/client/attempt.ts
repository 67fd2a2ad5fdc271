import type { Dispatcher } from 'undici';
import { exchange, parseJson, parseRetryAfterMs, type TimeLimits } from '../../engine/runtime/exchange.ts';
import { decodeErrorText } from './decode.ts';
import { badAnswerError, isTimeout, noAnswerError, notSentError, refusedError } from './errors.ts';

/**
 * A longer `Retry-After` is taken for a mistake: nobody would learn for longer that a job has ended, and nothing could
 * show sooner that the API answers again.
 */
const LONGEST_READ_PAUSE_MS = 5 * 60_000;
/** The limit that the API documents is one of an hour. */
const LONGEST_CALL_PAUSE_MS = 60 * 60_000;

export interface AgentRequest {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  /** Sent as JSON. */
  readonly body?: object;
}

/** A 2xx answer; `body` is its parsed JSON. `apiKey`: what it must not give away. */
export interface Answer {
  readonly status: number;
  readonly body: unknown;
  readonly apiKey: string;
}

/** Makes a request once. Fails with an AgentError whose message never holds the key. */
export async function attempt(
  dispatcher: Dispatcher,
  { method, path, body }: AgentRequest,
  apiKey: string,
  limits: TimeLimits,
): Promise<Answer> {
  const headers = { ...headersFor(apiKey), ...(body && { 'content-type': 'application/json' }) };
  const request = { method, path, headers, body: body ? JSON.stringify(body) : null };
  const result = await exchange(dispatcher, request, limits);
  if (result.kind === 'not_sent') throw notSentError(result.cause);
  if (result.kind === 'no_answer') throw noAnswerError(null, result.cause);

  const { status } = result.head;
  const json = result.body === null ? undefined : parseJson(result.body);
  if (status < 200 || status > 299) {
    const { 'retry-after': retryAfter, date } = result.head.headers;
    const longestMs = method === 'GET' ? LONGEST_READ_PAUSE_MS : LONGEST_CALL_PAUSE_MS;
    const retryAfterMs = parseRetryAfterMs(retryAfter, date, Date.now(), longestMs);
    throw refusedError(status, decodeErrorText(json, apiKey), retryAfterMs);
  }
  if (result.cause !== null && isTimeout(result.cause)) throw noAnswerError(status, result.cause);
  if (result.cause !== null) throw badAnswerError(status, 'is cut off or too large', result.cause);
  if (json === undefined) throw badAnswerError(status, 'is not JSON');
  return { status, body: json, apiKey };
}

/** What every request says. */
export function headersFor(apiKey: string): Readonly<Record<string, string>> {
  return {
    authorization: `Bearer ${apiKey}`,
    accept: 'application/json',
    'accept-encoding': 'identity',
    'user-agent': 'docs-agent',
  };
}
