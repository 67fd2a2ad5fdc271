import pRetry from 'p-retry';
import { Pool } from 'undici';
import { type Clock, systemClock } from '../../engine/runtime/clock.ts';
import { SEND_WITHIN_MS } from '../../engine/runtime/exchange.ts';
import type { AgentFailure, AgentJob } from '../../jobs/agent-job.ts';
import type { TroubleKind } from '../../jobs/job.ts';
import { afterAnswer, nothingKnown, type ServiceFacts } from '../../jobs/service-facts.ts';
import {
  AgentError,
  type AgentRequest,
  type Answer,
  attempt,
  badAnswerError,
  decodeJob,
  unknownProjectError,
} from './attempt.ts';

/** More than a thousand times the size of a job. An answer is not read beyond it. */
export const ANSWER_MAX_BYTES = 1024 * 1024;

/** As many as jobs are checked at once. */
const READ_CONNECTIONS = 64;
/** As many as prompts are sent at once: one waiting for a connection would soon be too late. */
const WRITE_CONNECTIONS = 32;
const CONNECT_TIMEOUT_MS = 10_000;
const JOB_FIELDS = ['status', 'source', 'model', 'prLink', 'createdAt'] as const;
const repeats = { retries: 2, minTimeout: 100, factor: 3, randomize: true } as const;

export type AgentClientOptions = Readonly<{
  /** The API's `{base_url}`, to which `/v2/agent/…` is added. It may have a path. */
  baseUrl: string;
  /** A project's key. Without one, calls fail as `unauthorized`, unsent. */
  apiKeyOf: (projectId: string) => string | undefined;
  /** Bounds a whole call: connecting, sending, the complete answer, and all repeats. */
  timeoutMs: number;
  clock?: Clock;
}>;

export type AgentClient = Omit<ReturnType<typeof createAgentClient>, 'factsOf'>;

/** The client, and what it knows of the API from its calls. Throws a TypeError if `baseUrl` is no URL. */
export function createAgentClient({ baseUrl, apiKeyOf, timeoutMs, clock = systemClock }: AgentClientOptions) {
  const paths = agentPaths(baseUrl);
  const shared = {
    // Over HTTP/2, undici may repeat a request by itself.
    allowH2: false,
    connectTimeout: Math.min(CONNECT_TIMEOUT_MS, timeoutMs),
    // `timeoutMs` is the only deadline after connecting.
    headersTimeout: 0,
    bodyTimeout: 0,
    maxResponseSize: ANSWER_MAX_BYTES,
  };
  const reads = new Pool(paths.origin, { ...shared, connections: READ_CONNECTIONS });
  // The server may close a kept connection just as a request goes out, and then nobody knows whether it was
  // accepted. So each write gets a new connection (the meaning of `pipelining: 0`): writes are rare.
  const writes = new Pool(paths.origin, { ...shared, connections: WRITE_CONNECTIONS, pipelining: 0 });

  const known = new Map<string, ServiceFacts>();
  const factsOf = (projectId: string) => known.get(projectId) ?? nothingKnown;
  const note = (projectId: string, kind: TroubleKind | null) =>
    known.set(projectId, afterAnswer(factsOf(projectId), kind, clock.now()));

  async function call<T>(
    projectId: string,
    request: AgentRequest,
    decode: (answer: Answer) => T,
  ): Promise<T> {
    const isRead = request.method === 'GET';
    const [pool, mayRepeat] = isRead ? [reads, mayReadAgain] : [writes, wasNotSent];
    const endsAtMs = performance.now() + timeoutMs;
    // Repeats included: whether a prompt may still go out is not for this client to judge.
    const sendByMs = Date.now() + (isRead ? timeoutMs : SEND_WITHIN_MS);
    try {
      const apiKey = apiKeyOf(projectId);
      if (apiKey === undefined) throw unknownProjectError(projectId);
      const answer = await systemClock.abortAfter(timeoutMs, (signal) =>
        pRetry(async () => decode(await attempt(pool, request, apiKey, { signal, sendByMs })), {
          ...repeats,
          shouldRetry: ({ error, retryDelay }) =>
            error instanceof AgentError &&
            mayRepeat(error.failure) &&
            performance.now() + retryDelay < endsAtMs,
        }),
      );
      note(projectId, null);
      return answer;
    } catch (error) {
      note(projectId, error instanceof AgentError ? troubleOf(error) : null);
      throw error;
    }
  }

  return {
    factsOf,
    /** Sends the prompt at most once. */
    createJob: async (projectId: string, prompt: string) =>
      call(projectId, { method: 'POST', path: paths.jobs(projectId), body: { prompt } }, decodeCreated),
    /** Sends the prompt at most once. Null: accepted, but the answer does not describe a job. */
    sendMessage: async (projectId: string, agentJobId: string, prompt: string) => {
      const path = `${paths.job(projectId, agentJobId)}/message`;
      return call(projectId, { method: 'POST', path, body: { prompt } }, decodeAccepted);
    },
    /** Asks up to three times within `timeoutMs`, unless the API answers with a 3xx, a 4xx or `Retry-After`. */
    getJob: async (projectId: string, agentJobId: string) => {
      const path = paths.job(projectId, agentJobId);
      return call(projectId, { method: 'GET', path }, (answer) => decodeRead(answer, agentJobId));
    },
    /** Aborts calls in flight. These and later ones fail as `unreachable`. */
    close: async () => {
      await Promise.all([reads.destroy(), writes.destroy()]);
    },
  };
}

/** A created job must not be lost for lack of a status. */
function decodeCreated({ status, body, apiKey }: Answer): AgentJob {
  return decodeJob(body, apiKey) ?? notAJob(status);
}

function decodeAccepted({ status, body, apiKey }: Answer): AgentJob | null {
  const isObject = typeof body === 'object' && body !== null && !Array.isArray(body);
  return isObject ? decodeJob(body, apiKey) : notAJob(status);
}

/** No field is formally required of a job that is read; it is the requested one. */
function decodeRead({ status, body, apiKey }: Answer, jobId: string): AgentJob {
  const isJob = typeof body === 'object' && body !== null && JOB_FIELDS.some((field) => field in body);
  const job = isJob ? decodeJob({ ...body, id: 'as asked for' }, apiKey) : null;
  return job === null ? notAJob(status) : { ...job, id: jobId };
}

function notAJob(status: number): never {
  throw badAnswerError(status, 'is not a job');
}

function wasNotSent(failure: AgentFailure): boolean {
  return failure.outcome === 'definite' && failure.reason === 'unreachable';
}

function mayReadAgain({ reason, retryAfterMs }: AgentFailure): boolean {
  return retryAfterMs === null && ['unreachable', 'server_error', 'bad_answer'].includes(reason);
}

/** `baseUrl` may have a path. Throws a TypeError if it is no URL. */
export function agentPaths(baseUrl: string) {
  const { origin, pathname } = new URL(baseUrl);
  const basePath = pathname.replace(/(?<!\/)\/+$/, '');
  const jobs = (projectId: string) => `${basePath}/v2/agent/${segment(projectId)}/job`;
  const job = (projectId: string, jobId: string) => `${jobs(projectId)}/${segment(jobId)}`;
  return { origin, jobs, job };
}

function segment(id: string): string {
  return encodeURIComponent(id.toWellFormed());
}

/** Null: the API answered, and only refused this request. */
function troubleOf({ failure }: AgentError): TroubleKind | null {
  switch (failure.reason) {
    case 'unreachable':
    case 'server_error':
    case 'bad_answer':
    case 'no_such_path':
      return 'unreachable';
    case 'unauthorized':
      return 'needs_admin';
    case 'rate_limited':
      return 'rate_limited';
    case 'not_found':
    case 'rejected':
      return null;
  }
}
