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
