import type { AgentFailure } from '../../jobs/agent-job.ts';

/** The only error of failed agent calls. Its message is `failure.message`. */
export class AgentError extends Error {
  readonly failure: AgentFailure;

  constructor(failure: AgentFailure, options?: ErrorOptions) {
    super(failure.message, options);
    this.name = 'AgentError';
    this.failure = failure;
  }
}

/** No byte of the request went out: the API cannot have accepted it. */
export function notSentError(cause: Error): AgentError {
  const message = isTimeout(cause)
    ? 'no connection to the agent API in time'
    : `no connection to the agent API (${codeOf(cause)})`;
  return unreachableError('definite', null, message, cause);
}

/** The request went out, but no complete answer arrived in time. `status`: of an answer that had begun. */
export function noAnswerError(status: number | null, cause: Error): AgentError {
  const message = isTimeout(cause)
    ? 'the agent API did not answer in time'
    : `the connection to the agent API broke before the answer (${codeOf(cause)})`;
  return unreachableError('unknown', status, message, cause);
}

/** A 2xx answer that is not the API's. `problem` completes the sentence "the answer …". */
export function badAnswerError(status: number, problem: string, cause?: Error): AgentError {
  const message = `the answer of the agent API (${status}) ${problem}`;
  const failure = { outcome: 'unknown', reason: 'bad_answer', status, message, retryAfterMs: null } as const;
  return new AgentError(failure, { cause });
}

/** The settings no longer have a key for the project. */
export function unknownProjectError(projectId: string): AgentError {
  const message = `the project ${projectId} is not in the settings`;
  const failure = { outcome: 'definite', reason: 'unauthorized', status: null, retryAfterMs: null } as const;
  return new AgentError({ ...failure, message });
}

/** An answer with any status other than 2xx. `text`: the API's own words, or null. */
export function refusedError(status: number, text: string | null, retryAfterMs: number | null): AgentError {
  const message = text ?? `the agent API answered with status ${status}`;
  const words = text === null ? {} : { words: text };
  return new AgentError({ ...classify(status, text), status, message, ...words, retryAfterMs });
}

function classify(status: number, text: string | null): Pick<AgentFailure, 'outcome' | 'reason'> {
  if (status >= 500) return { outcome: 'unknown', reason: 'server_error' };
  if (status === 429) return { outcome: 'definite', reason: 'rate_limited' };
  if (status === 401 || status === 402 || status === 403)
    return { outcome: 'definite', reason: 'unauthorized' };
  if (status === 404) return { outcome: 'definite', reason: text === null ? 'no_such_path' : 'not_found' };
  return { outcome: 'definite', reason: 'rejected' };
}

function unreachableError(
  outcome: AgentFailure['outcome'],
  status: number | null,
  message: string,
  cause: Error,
): AgentError {
  return new AgentError({ outcome, reason: 'unreachable', status, message, retryAfterMs: null }, { cause });
}

/** `Clock.abortAfter` aborts with this error. */
export function isTimeout(error: Error): boolean {
  return error.name === 'TimeoutError';
}

/** The system's error code, or else the error's name. */
export function codeOf(error: Error): string {
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name;
}
