import pRetry from 'p-retry';
import { type Dispatcher, Pool } from 'undici';
import { z } from 'zod';
import {
  type AgentFailure,
  type AgentFailureReason,
  type AgentJob,
  afterAnswer,
  type Capability,
  capabilities,
  nothingKnown,
  type ServiceFacts,
  type TroubleKind,
} from '#jobs/agent-job.ts';
import type { SentPicture } from '#jobs/requests/attachments.ts';
import { type Clock, systemClock } from '#runtime/clock.ts';
import {
  type AnswerHead,
  exchange,
  parseJson,
  parseRetryAfterMs,
  SEND_WITHIN_MS,
  type TimeLimits,
} from '#runtime/exchange.ts';
import type { Logger } from '#runtime/redact.ts';
import { storable, untrustedText, untrustedUrl } from '#runtime/untrusted-text.ts';

/** A thousand times the size of a job. */
export const ANSWER_MAX_BYTES = 1024 * 1024;

const READ_CONNECTIONS = 64;
/** A prompt that waits for a connection could be too late. */
const WRITE_CONNECTIONS = 32;
const CONNECT_TIMEOUT_MS = 10_000;
const JOB_FIELDS = ['status', 'source', 'model', 'prLink', 'createdAt'] as const;
const repeats = { retries: 2, minTimeout: 100, factor: 3, randomize: true } as const;

export type AgentClientOptions = Readonly<{
  /** May have a path; `/v2/agent/…` is added. */
  baseUrl: string;
  /** Without a key, calls fail as `unauthorized`, unsent. */
  apiKeyOf: (projectId: string) => string | undefined;
  /** Bounds a whole call, repeats included. */
  timeoutMs: number;
  clock?: Clock;
  log?: Pick<Logger, 'warn'>;
}>;

export type AgentClient = Omit<ReturnType<typeof createAgentClient>, 'factsOf'>;

export function createAgentClient({
  baseUrl,
  apiKeyOf,
  timeoutMs,
  clock = systemClock,
  log = { warn: () => {} },
}: AgentClientOptions) {
  const paths = agentPaths(baseUrl);
  const shared = {
    // Over HTTP/2, undici may repeat a request by itself.
    allowH2: false,
    connectTimeout: Math.min(CONNECT_TIMEOUT_MS, timeoutMs),
    // After connecting, `timeoutMs` is the only deadline.
    headersTimeout: 0,
    bodyTimeout: 0,
    maxResponseSize: ANSWER_MAX_BYTES,
  };
  const reads = new Pool(paths.origin, { ...shared, connections: READ_CONNECTIONS });
  // The server may close a kept connection just as a request goes out. `pipelining: 0` opens one for each
  // write: writes are rare.
  const writes = new Pool(paths.origin, { ...shared, connections: WRITE_CONNECTIONS, pipelining: 0 });

  const known = new Map<string, ServiceFacts>();
  const factsOf = (projectId: string) => known.get(projectId) ?? nothingKnown;
  const endsLogged = new Map<string, number>();
  const note = (projectId: string, kind: TroubleKind | null, { can, end: says }: Announced) => {
    const nowMs = clock.now();
    known.set(projectId, { ...afterAnswer(factsOf(projectId), kind, nowMs), ...(can && { can }) });
    if (!says || nowMs < (endsLogged.get(projectId) ?? 0) + END_LOGGED_EVERY_MS) return;
    endsLogged.set(projectId, nowMs);
    log.warn('agent_api_ends', { project: projectId, says });
  };

  async function call<T>(projectId: string, request: AgentRequest, decode: Decode<T>): Promise<T> {
    const { isRead } = request;
    const [pool, mayRepeat] = isRead ? [reads, mayReadAgain] : [writes, wasNotSent];
    const endsAtMs = performance.now() + timeoutMs;
    const sendByMs = Date.now() + (isRead ? timeoutMs : SEND_WITHIN_MS);
    try {
      const apiKey = apiKeyOf(projectId);
      if (apiKey === undefined) throw unknownProjectError(projectId);
      return await systemClock.abortAfter(timeoutMs, (signal) =>
        pRetry(
          async () => {
            const { status, body, can, end } = await attempt(pool, request, apiKey, { signal, sendByMs });
            const decoded = isObject(body) ? decode(body, (job) => decodeJob(job, apiKey, can)) : undefined;
            if (decoded === undefined) throw badAnswerError(status, 'is not a job');
            note(projectId, null, { can, end });
            return decoded;
          },
          {
            ...repeats,
            shouldRetry: ({ error, retryDelay }) =>
              error instanceof AgentError &&
              mayRepeat(error.failure) &&
              performance.now() + retryDelay < endsAtMs,
          },
        ),
      );
    } catch (error) {
      // A request that was never sent says nothing of the service.
      if (error instanceof AgentError) note(projectId, troubleOf(error.failure), error.announced);
      throw error;
    }
  }

  return {
    factsOf,
    /**
     * Sends the prompt at most once. A service that knows the `key` counts repetitions once. A created job
     * without a status must not be lost.
     */
    createJob: (projectId: string, prompt: string, more: KeyAndImages = {}) =>
      call(
        projectId,
        { path: paths.jobs(projectId), prompt, ...more },
        (body, toJob) => toJob(body) ?? undefined,
      ),
    /** Null: accepted, but the answer is not a job. */
    sendMessage: (projectId: string, id: string, prompt: string, more: KeyAndImages = {}) =>
      call(projectId, { path: `${paths.job(projectId, id)}/message`, prompt, ...more }, (body, toJob) =>
        toJob(body),
      ),
    /** Ends the running turn and drops waiting ones. May be repeated. */
    cancelJob: (projectId: string, id: string) =>
      call(projectId, { path: `${paths.job(projectId, id)}/cancel` }, asJob(id)),
    /** Tries up to three times, unless the API answers with a 3xx, a 4xx or `Retry-After`. */
    getJob: (projectId: string, id: string) =>
      call(projectId, { path: paths.job(projectId, id), isRead: true }, asJob(id)),
    /** Asks what the service announces, unless it has said so. Returns why it did not answer; null: it did. */
    askCapabilities: async (projectId: string): Promise<AgentError | null> => {
      if (factsOf(projectId).can !== undefined) return null;
      const request = { path: paths.job(projectId, NO_JOB), isRead: true } as const;
      const error: unknown = await call(projectId, request, asJob(NO_JOB)).catch((thrown: unknown) => thrown);
      if (!(error instanceof AgentError) || factsOf(projectId).can !== undefined) return null;
      const { status, message, retryAfterMs } = error.failure;
      // Of a gateway or proxy, which cannot say what the service announces.
      const isGateways = status === 429 || (status !== null && status > 501);
      if (status !== null && !isGateways) return null;
      return new AgentError({ outcome: 'definite', reason: 'unreachable', message, retryAfterMs }, error);
    },
    close: async () => {
      await Promise.all([reads.destroy(), writes.destroy()]);
    },
  };
}

/** Undefined: the answer is not a job. */
type Decode<T> = (body: object, toJob: (body: object) => AgentJob | null) => T | undefined;

/** No single field is required, but at least one of JOB_FIELDS. */
function asJob(id: string): Decode<AgentJob> {
  return (body, toJob) => {
    const isJob = JOB_FIELDS.some((field) => field in body);
    const job = isJob && toJob({ ...body, id: 'as asked for' });
    return job ? { ...job, id } : undefined;
  };
}

function isObject(body: unknown): body is object {
  return typeof body === 'object' && body !== null && !Array.isArray(body);
}

function wasNotSent({ outcome, reason }: AgentFailure) {
  return outcome === 'definite' && reason === 'unreachable';
}

function mayReadAgain({ reason, retryAfterMs }: AgentFailure) {
  return retryAfterMs === null && ['unreachable', 'server_error', 'bad_answer'].includes(reason);
}

/** The answer tells whether the key, the project and the address are right. */
export const NO_JOB = 'docs-agent-no-such-job';

function agentPaths(baseUrl: string) {
  const { origin, pathname } = new URL(baseUrl);
  const basePath = pathname.replace(/(?<!\/)\/+$/, '');
  const segment = (id: string) => encodeURIComponent(id.toWellFormed());
  const jobs = (projectId: string) => `${basePath}/v2/agent/${segment(projectId)}/job`;
  const job = (projectId: string, jobId: string) => `${jobs(projectId)}/${segment(jobId)}`;
  return { origin, jobs, job };
}

function troubleOf({ reason }: AgentFailure): TroubleKind | null {
  if (reason === 'not_found' || reason === 'rejected') return null;
  if (reason === 'unauthorized') return 'needs_admin';
  return reason === 'rate_limited' ? reason : 'unreachable';
}

/** By the headers of a refusal. */
type Announced = Readonly<{ can?: readonly Capability[] | undefined; end?: string | null }>;

export class AgentError extends Error {
  readonly failure: AgentFailure;
  readonly announced: Announced;

  constructor(
    failure: Omit<AgentFailure, 'status' | 'retryAfterMs'> & Partial<AgentFailure>,
    cause?: Error,
    announced: Announced = {},
  ) {
    super(failure.message, { cause });
    this.name = 'AgentError';
    this.failure = { status: null, retryAfterMs: null, ...failure };
    this.announced = announced;
  }
}

export function notSentError(cause: Error): AgentError {
  const why = isTimeout(cause) ? 'in time' : `(${codeOf(cause)})`;
  const message = `no connection to the agent API ${why}`;
  return new AgentError({ outcome: 'definite', reason: 'unreachable', message }, cause);
}

function noAnswerError(status: number | null, cause: Error) {
  const message = isTimeout(cause)
    ? 'the agent API did not answer in time'
    : `the connection to the agent API broke before the answer (${codeOf(cause)})`;
  return new AgentError({ outcome: 'unknown', reason: 'unreachable', status, message }, cause);
}

function badAnswerError(status: number, problem: string, cause?: Error) {
  const message = `the answer of the agent API (${status}) ${problem}`;
  return new AgentError({ outcome: 'unknown', reason: 'bad_answer', status, message }, cause);
}

export function unknownProjectError(projectId: string): AgentError {
  const message = `the project ${projectId} is not in the settings`;
  return new AgentError({ outcome: 'definite', reason: 'unauthorized', message });
}

export function refusedError(
  status: number,
  words: string | null,
  retryAfterMs: number | null,
  announced?: Announced,
): AgentError {
  const outcome = status >= 500 ? 'unknown' : 'definite';
  const message = words ?? `the agent API answered with status ${status}`;
  const answer = { status, message, retryAfterMs, ...(words !== null && { words }) };
  return new AgentError({ outcome, reason: reasonOf(status, words), ...answer }, undefined, announced);
}

function reasonOf(status: number, words: string | null): AgentFailureReason {
  if (status >= 500) return 'server_error';
  if (status === 429) return 'rate_limited';
  if ([401, 402, 403].includes(status)) return 'unauthorized';
  if (status === 404) return words === null ? 'no_such_path' : 'not_found';
  return 'rejected';
}

function isTimeout({ name }: Error) {
  return name === 'TimeoutError';
}

function codeOf(error: Error): string {
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name;
}

/** During a longer pause, ends of jobs and the API's return would go unnoticed. */
const LONGEST_READ_PAUSE_MS = 5 * 60_000;
/** The API's documented limit is hourly. */
const LONGEST_CALL_PAUSE_MS = 60 * 60_000;

type AgentRequest = Readonly<{
  path: string;
  isRead?: true;
  prompt?: string;
  key?: string | null;
  images?: readonly SentPicture[] | undefined;
}>;

type KeyAndImages = Pick<AgentRequest, 'key' | 'images'>;

type Answer = Readonly<{ status: number; body: unknown; can: readonly Capability[]; end: string | null }>;

const END_LOGGED_EVERY_MS = 86_400_000;

/** How the service announces its end (RFC 9745, RFC 8594). Untrusted. */
function endIn(headers: AnswerHead['headers']): string | null {
  const names = ['deprecation', 'sunset'].filter((name) => headers[name] !== undefined);
  const said = names.map((name) => `${name}: ${headers[name]}`);
  return said.length === 0 ? null : untrustedText(said.join(', '), MAX_LENGTHS.error);
}

async function attempt(
  dispatcher: Dispatcher,
  request: AgentRequest,
  apiKey: string,
  limits: TimeLimits,
): Promise<Answer> {
  const result = await exchange(dispatcher, httpRequest(request, apiKey), limits);
  if (result.kind === 'not_sent') throw notSentError(result.cause);
  if (result.kind === 'no_answer') throw noAnswerError(null, result.cause);

  const { head, cause } = result;
  const { status } = head;
  const { 'agent-capabilities': names, 'retry-after': retryAfter, date } = head.headers;
  const json = result.body === null ? undefined : parseJson(result.body);
  const listed = String(names ?? '').split(/[\s,]+/);
  const can = capabilities.filter((one) => listed.includes(one));
  const end = endIn(head.headers);
  if (status < 200 || status > 299) {
    const longestMs = request.isRead ? LONGEST_READ_PAUSE_MS : LONGEST_CALL_PAUSE_MS;
    const retryAfterMs = parseRetryAfterMs(retryAfter, date, Date.now(), longestMs);
    // Without the header, it may be a proxy's answer, and revokes nothing.
    const announced = { can: names === undefined ? undefined : can, end };
    throw refusedError(status, decodeErrorText(json, apiKey), retryAfterMs, announced);
  }
  if (cause !== null) {
    throw isTimeout(cause)
      ? noAnswerError(status, cause)
      : badAnswerError(status, 'is cut off or too large', cause);
  }
  if (json === undefined) throw badAnswerError(status, 'is not JSON');
  return { status, body: json, can, end };
}

function httpRequest(
  { path, isRead, prompt, key, images }: AgentRequest,
  apiKey: string,
): Dispatcher.DispatchOptions {
  return {
    method: isRead ? 'GET' : 'POST',
    path,
    headers: {
      authorization: `Bearer ${apiKey}`,
      accept: 'application/json',
      'accept-encoding': 'identity',
      'user-agent': 'docs-agent',
      ...(prompt !== undefined && { 'content-type': 'application/json' }),
      ...(key && { 'idempotency-key': key }),
    },
    body: prompt === undefined ? null : JSON.stringify({ prompt, images }),
  };
}

const MAX_LENGTHS = {
  status: 100,
  repository: 500,
  ref: 500,
  model: 500,
  /** Longer than any URL that may become a link. */
  prLink: 4_000,
  summary: 3_000,
  reason: 500,
  activity: 100,
  error: 500,
};
/** A shorter key could match part of a word. */
const KEY_MIN_LENGTH = 8;

const text = z.string().nullish().catch(null);

/** Accepted as is or not at all. A number is no reason to lose a job. */
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
  summary: text,
  reason: text,
  activity: text,
});

const errorSchema = z.object({ error: z.string() });

/**
 * Only `id` is required: other missing, null or mistyped fields become null, and a missing status `active`.
 * Texts are without secrets and the `key`.
 * @param can what the service announced; fields of other capabilities are ignored
 */
export function decodeJob(body: unknown, key: string, can: readonly Capability[] = []): AgentJob | null {
  const { data } = jobSchema.safeParse(body);
  if (data === undefined) return null;
  const { id, source, ...own } = data;
  const given = { ...own, ...source };
  const clean = (field: keyof typeof given, read = untrustedText) => {
    const value = given[field] ?? null;
    if (value === null) return null;
    return read(key.length < KEY_MIN_LENGTH ? value : withoutKey(value, key), MAX_LENGTHS[field]) || null;
  };
  const ifAnnounced = (capability: Capability, field: 'summary' | 'reason' | 'activity') => {
    const value = can.includes(capability) ? clean(field) : null;
    return value !== null && { [field]: value };
  };
  return {
    id,
    status: clean('status') ?? 'active',
    repository: clean('repository', untrustedUrl),
    ref: clean('ref'),
    model: clean('model'),
    prLink: clean('prLink', untrustedUrl),
    ...(can.length > 0 && { can }),
    ...ifAnnounced('summary', 'summary'),
    ...ifAnnounced('summary', 'reason'),
    ...ifAnnounced('activity', 'activity'),
  };
}

/** Untrusted, without secrets. */
export function decodeErrorText(body: unknown, key: string): string | null {
  const error = errorSchema.safeParse(body).data?.error;
  return error === undefined ? null : untrustedText(withoutKey(error, key), MAX_LENGTHS.error) || null;
}

function withoutKey(text: string, key: string) {
  return text.replaceAll(key, '…');
}
