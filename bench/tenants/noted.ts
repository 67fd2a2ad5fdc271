/** Marked words that arrived: a card or another post in Slack, or what the agent was asked for. */
export interface Noted {
  readonly what: 'card' | 'post' | 'create' | 'message';
  readonly mark: string;
  /** Slack's `ts` of the post, or the id of the agent job. */
  readonly id: string;
  readonly atMs: number;
}

/** A new job, and one that got a message, ends so much later. Old jobs never end. */
export const WORK_MS = 5_000;

export function linkOf(agentJobId: string): string {
  return `/pull/${agentJobId.replace('made-', '')}`;
}
