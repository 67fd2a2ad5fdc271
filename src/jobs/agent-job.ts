/** A job as the agent API last described it. Every fact but `id` and `status` may be missing. */
export interface AgentJob {
  readonly id: string;
  /** `active`, `completed`, `archived` or `failed`; any other word is kept and shown as it is. */
  readonly status: string;
  readonly repository: string | null;
  readonly ref: string | null;
  readonly model: string | null;
  /** The pull request as the API gave it: usually, but not surely, an http(s) URL. */
  readonly prLink: string | null;
}

/** The statuses at which the API's document says that polling stops. */
export type EndedStatus = 'completed' | 'archived' | 'failed';

const endedStatuses: ReadonlySet<string> = new Set<EndedStatus>(['completed', 'archived', 'failed']);

export function isEnded(status: string): status is EndedStatus {
  return endedStatuses.has(status);
}

/**
 * How an agent call failed. `definite`: the API did not take the request, so it may be made again.
 * `unknown`: it may have been taken (timeout, reset or 5xx after the request went out, or an answer that
 * cannot be read), so only a person may decide to make it again.
 */
export interface AgentFailure {
  readonly outcome: 'definite' | 'unknown';
  readonly reason: AgentFailureReason;
  /** The HTTP status, or null when there was no answer. */
  readonly status: number | null;
  /** The API's own `error` text where it gave one, else what happened in plain words. Untrusted. */
  readonly message: string;
  /** The API's own words, where it gave any: not ours. Without secrets, and untrusted. */
  readonly words?: string;
  /** How long the API asked to wait (`Retry-After`), or null. */
  readonly retryAfterMs: number | null;
}

/**
 * - `rate_limited`: 429, or our own hourly budget is used up
 * - `unreachable`: no connection, a timeout, a reset
 * - `unauthorized`: 401, 402 or 403: the key is refused, or may not do this, or the plan does not allow it
 * - `not_found`: 404 in the API's own words, the job or the project is unknown
 * - `no_such_path`: 404 without them: a gateway, perhaps, that does not find the API
 * - `rejected`: any other 4xx, and redirects (which are never followed with the key)
 * - `server_error`: 5xx
 * - `bad_answer`: an answer that is not the API's (HTML, half a body, no id)
 */
export type AgentFailureReason =
  | 'rate_limited'
  | 'unreachable'
  | 'unauthorized'
  | 'not_found'
  | 'no_such_path'
  | 'rejected'
  | 'server_error'
  | 'bad_answer';
