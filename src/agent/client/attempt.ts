import type { Dispatcher } from 'undici';
import { z } from 'zod';
import { exchange, parseJson, parseRetryAfterMs, type TimeLimits } from '../../engine/runtime/exchange.ts';
import { foreignAddress, foreignText, storable } from '../../engine/runtime/foreign-text.ts';
import type { AgentFailure, AgentJob } from '../../jobs/agent-job.ts';

/** The only error of failed agent calls. Its message is `failure.message`. */
export class AgentError extends Error {
  readonly failure: AgentFailure;

  constructor(failure: AgentFailure, options?: ErrorOptions) {
    super(failure.message, options);
    this.name = 'AgentError';
    this.failure = failure;
  }
}

function agentError(
  [outcome, reason]: Kind,
  status: number | null,
  message: string,
  cause?: Error,
): AgentError {
  return new AgentError({ outcome, reason, status, message, retryAfterMs: null }, { cause });
}

type Kind = readonly [AgentFailure['outcome'], AgentFailure['reason']];

/** No byte of the request went out: the API cannot have accepted it. */
export function notSentError(cause: Error): AgentError {
  const message = isTimeout(cause)
    ? 'no connection to the agent API in time'
    : `no connection to the agent API (${codeOf(cause)})`;
  return agentError(['definite', 'unreachable'], null, message, cause);
}

/** The request went out, but no complete answer arrived in time. `status`: of an answer that had begun. */
function noAnswerError(status: number | null, cause: Error): AgentError {
  const message = isTimeout(cause)
    ? 'the agent API did not answer in time'
    : `the connection to the agent API broke before the answer (${codeOf(cause)})`;
  return agentError(['unknown', 'unreachable'], status, message, cause);
}

/** A 2xx answer that is not the API's. `problem` completes the sentence "the answer …". */
export function badAnswerError(status: number, problem: string, cause?: Error): AgentError {
  const message = `the answer of the agent API (${status}) ${problem}`;
  return agentError(['unknown', 'bad_answer'], status, message, cause);
}

/** The settings no longer have a key for the project. */
export function unknownProjectError(projectId: string): AgentError {
  return agentError(['definite', 'unauthorized'], null, `the project ${projectId} is not in the settings`);
}

/** An answer with any status other than 2xx. `words`: the API's own, or null. */
export function refusedError(status: number, words: string | null, retryAfterMs: number | null): AgentError {
  const [outcome, reason] = kindOf(status, words);
  const message = words ?? `the agent API answered with status ${status}`;
  const failure = { outcome, reason, status, message, retryAfterMs };
  return new AgentError(words === null ? failure : { ...failure, words });
}

function kindOf(status: number, words: string | null): Kind {
  if (status >= 500) return ['unknown', 'server_error'];
  if (status === 429) return ['definite', 'rate_limited'];
  if (status === 401 || status === 402 || status === 403) return ['definite', 'unauthorized'];
  if (status === 404) return ['definite', words === null ? 'no_such_path' : 'not_found'];
  return ['definite', 'rejected'];
}

/** `Clock.abortAfter` aborts with this error. */
function isTimeout(error: Error): boolean {
  return error.name === 'TimeoutError';
}

/** The system's error code, or else the error's name. */
export function codeOf(error: Error): string {
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name;
}

/**
 * A longer `Retry-After` counts as a mistake: until then, ends of jobs and the API's return would go
 * unnoticed.
 */
const LONGEST_READ_PAUSE_MS = 5 * 60_000;
/** The API's documented limit is hourly. */
const LONGEST_CALL_PAUSE_MS = 60 * 60_000;

export type AgentRequest = Readonly<{
  method: 'GET' | 'POST';
  path: string;
  body?: object;
}>;

/** A 2xx answer; `body` is its parsed JSON. `apiKey`: must not appear in any text. */
export type Answer = Readonly<{
  status: number;
  body: unknown;
  apiKey: string;
}>;

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

export function headersFor(apiKey: string): Readonly<Record<string, string>> {
  return {
    authorization: `Bearer ${apiKey}`,
    accept: 'application/json',
    'accept-encoding': 'identity',
    'user-agent': 'docs-agent',
  };
}

const STATUS_MAX_LENGTH = 100;
const ERROR_TEXT_MAX_LENGTH = 500;
const NAME_MAX_LENGTH = 500;
/** Longer than any URL that may become a link. */
const ADDRESS_MAX_LENGTH = 4_000;
/** Shorter keys are not looked for in names: part of a word could match. */
const KEY_MIN_LENGTH = 8;

const text = z.string().nullable().catch(null);

/** Opaque: accepted as is or not at all. A number is unexpected, but no reason to lose a job. */
const id = z.union([
  z.string().refine((value) => value.trim() !== '' && storable(value) === value),
  z.int().transform(String),
]);

const jobSchema = z.object({
  id,
  status: text,
  source: z.object({ repository: text, ref: text }).catch({ repository: null, ref: null }),
  model: text,
  prLink: text,
});

const errorSchema = z.object({ error: z.string() });

/**
 * Reads a job from a parsed JSON body, or null if there is none. Never throws. Only `id` is required: other
 * missing, null or mistyped fields become null, and a missing status `active`. Texts are without secrets.
 * @param key the project's, also a secret
 */
export function decodeJob(body: unknown, key: string): AgentJob | null {
  const { data } = jobSchema.safeParse(body);
  if (data === undefined) return null;
  const { id, source, model, prLink } = data;
  const said = (value: string | null, maxLength: number, read = foreignText): string | null =>
    value === null
      ? null
      : read(key.length < KEY_MIN_LENGTH ? value : withoutKey(value, key), maxLength) || null;
  return {
    id,
    status: said(data.status, STATUS_MAX_LENGTH) ?? 'active',
    repository: said(source.repository, NAME_MAX_LENGTH, foreignAddress),
    ref: said(source.ref, NAME_MAX_LENGTH),
    model: said(model, NAME_MAX_LENGTH),
    prLink: said(prLink, ADDRESS_MAX_LENGTH, foreignAddress),
  };
}

/**
 * The API's own words in an error body, without the project's key and other secrets, at most 500 characters,
 * or null. Untrusted.
 */
export function decodeErrorText(body: unknown, key: string): string | null {
  const { data } = errorSchema.safeParse(body);
  return data === undefined ? null : foreignText(withoutKey(data.error, key), ERROR_TEXT_MAX_LENGTH) || null;
}

function withoutKey(text: string, key: string): string {
  return text.replaceAll(key, '…');
}
