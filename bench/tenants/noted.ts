/** Marked words that arrived: a card or another post in Slack, or what the agent was asked for. */
export interface Noted {
  readonly what: 'card' | 'post' | 'create' | 'message';
  readonly mark: string;
  /** Slack's `ts` of the post, or the id of the agent job. */
  readonly id: string;
  readonly atMs: number;
}

/**
 * A new job, and one that got a message, ends so much later. Old jobs never end. Jobs are read every 2 s at most: if all
 * worked for the same time, all would end right before a read, or all right after.
 */
export function workMs(agentJobId: string): number {
  return 5_000 + ((Number(agentJobId.replace(/\D/g, '')) * 37) % 2_000);
}

export function linkOf(agentJobId: string): string {
  return `/pull/${agentJobId.replace('made-', '')}`;
}
