/** Untrusted. */
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
  reason?: string;
  activity?: string;
}>;

/** See `docs/agent-api.openapi.yml`. */
export const capabilities = ['idempotency', 'cancel', 'summary', 'activity', 'images'] as const;

export type Capability = (typeof capabilities)[number];

const endedStatuses = ['completed', 'archived', 'failed'] as const;

export type EndedStatus = (typeof endedStatuses)[number];

export function isEnded(status: string): status is EndedStatus {
  return endedStatuses.some((ended) => ended === status);
}

/** `unknown`: maybe accepted (timeout, reset, 5xx, unreadable answer). */
export type AgentFailure = Readonly<{
  outcome: 'definite' | 'unknown';
  reason: AgentFailureReason;
  /** Null: no answer. */
  status: number | null;
  /** The API's `error`, else ours. Untrusted. */
  message: string;
  /** The API's, without secrets. Untrusted. */
  words?: string;
  retryAfterMs: number | null;
}>;

/**
 * `rate_limited`: 429, or our hourly budget. `unauthorized`: 401, 402, 403. `not_found`: the API's own 404.
 * `no_such_path`: another 404, perhaps a gateway's. `rejected`: other 4xx, and redirects (which must not get
 * the key). `bad_answer`: HTML, half a body, no id.
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

/** `needs_admin`: the key is refused, or the project is unknown. */
export type TroubleKind = 'rate_limited' | 'unreachable' | 'needs_admin';

/** As known to this process. */
export type ServiceFacts = Readonly<{
  answeredAtMs: number | null;
  trouble: { readonly kind: TroubleKind; readonly sinceMs: number } | null;
  can?: readonly Capability[];
}>;

export type TroubleWords = Readonly<Record<TroubleKind, readonly [what: string, then: string]>>;

export type ServiceReport = Readonly<{
  kind: string;
  name: string;
  facts: ServiceFacts;
  words: TroubleWords;
}>;

export const nothingKnown: ServiceFacts = { answeredAtMs: null, trouble: null };

export function announces({ can }: ServiceFacts, capability: Capability): boolean {
  return can?.includes(capability) === true;
}

export function afterAnswer(before: ServiceFacts, kind: TroubleKind | null, nowMs: number): ServiceFacts {
  const { trouble } = before;
  if (kind === null) return { ...before, answeredAtMs: nowMs, trouble: null };
  return { ...before, trouble: { kind, sinceMs: trouble?.kind === kind ? trouble.sinceMs : nowMs } };
}
