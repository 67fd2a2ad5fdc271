/** A job as the agent API last described it. All fields but `id` and `status` may be missing. */
export type AgentJob = Readonly<{
  id: string;
  /** `active`, `completed`, `archived` or `failed`; unknown words are kept and shown. */
  status: string;
  repository: string | null;
  ref: string | null;
  model: string | null;
  /** The pull request as the API gave it: usually an http(s) URL. */
  prLink: string | null;
}>;

/** The statuses at which polling stops, according to the API's document. */
const endedStatuses = ['completed', 'archived', 'failed'] as const;

export type EndedStatus = (typeof endedStatuses)[number];

export function isEnded(status: string): status is EndedStatus {
  return endedStatuses.some((ended) => ended === status);
}

/**
 * How an agent call failed. `definite`: the API did not accept the request, so it may be repeated. `unknown`:
 * it may have (timeout, reset or 5xx after the request went out, or an unreadable answer), so only a person
 * may decide to repeat it.
 */
export type AgentFailure = Readonly<{
  outcome: 'definite' | 'unknown';
  reason: AgentFailureReason;
  /** The HTTP status, or null without an answer. */
  status: number | null;
  /** The API's `error` text if it gave one, else our own words. Untrusted. */
  message: string;
  /** The API's own words, if any, without secrets. Untrusted. */
  words?: string;
  retryAfterMs: number | null;
}>;

/**
 * - `rate_limited`: 429, or our own hourly budget is used up
 * - `unreachable`: no connection, a timeout, a reset
 * - `unauthorized`: 401, 402 or 403: the key is refused, lacks the right, or the plan does not allow it
 * - `not_found`: 404 in the API's own words: the job or project is unknown
 * - `no_such_path`: 404 without them: perhaps a gateway that does not find the API
 * - `rejected`: any other 4xx, and redirects (which are never followed with the key)
 * - `server_error`: 5xx
 * - `bad_answer`: not the API's answer (HTML, half a body, no id)
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
