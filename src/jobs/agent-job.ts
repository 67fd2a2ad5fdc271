/** A job as the agent API last described it. Untrusted. */
export type AgentJob = Readonly<{
  id: string;
  /** Unknown words are kept and shown. */
  status: string;
  repository: string | null;
  ref: string | null;
  model: string | null;
  /** Usually an http(s) URL. */
  prLink: string | null;
  can?: readonly Capability[];
  summary?: string;
  /** Of the last turn. */
  reason?: string;
  activity?: string;
}>;

/** See `docs/agent-api.openapi.yml`. */
export const capabilities = ['idempotency', 'cancel', 'summary', 'activity'] as const;

export type Capability = (typeof capabilities)[number];

const endedStatuses = ['completed', 'archived', 'failed'] as const;

export type EndedStatus = (typeof endedStatuses)[number];

export function isEnded(status: string): status is EndedStatus {
  return endedStatuses.some((ended) => ended === status);
}

/**
 * `definite`: the API did not accept the request. `unknown`: it may have (timeout, reset, 5xx, unreadable
 * answer).
 */
export type AgentFailure = Readonly<{
  outcome: 'definite' | 'unknown';
  reason: AgentFailureReason;
  /** Null: no answer. */
  status: number | null;
  /** The API's `error` text, else our own words. Untrusted. */
  message: string;
  /** The API's own words, without secrets. Untrusted. */
  words?: string;
  retryAfterMs: number | null;
}>;

/**
 * `rate_limited`: 429, or our own hourly budget is used up. `unauthorized`: 401, 402 or 403. `not_found`: 404
 * in the API's own words. `no_such_path`: 404 without them, perhaps from a gateway. `rejected`: other 4xx,
 * and redirects (never followed with the key). `bad_answer`: HTML, half a body, no id.
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
