import type { CallOutcome, NewCall } from './call.ts';
import type { FollowUp } from './follow-ups/follow-up.ts';
import type { Job } from './job.ts';
import type { Policy } from './policy.ts';
import type { JobTaskKind } from './task-kinds.ts';

export type JobState = Readonly<{
  job: Job;
  /** Unsent ones and the event's, oldest first. */
  followUps: readonly FollowUp[];
  pendingCreateId?: string;
}>;

/** Written in one transaction. */
export type Decision = Readonly<{
  job: Job;
  followUps: readonly FollowUp[];
  endedCall?: CallOutcome & { readonly callId: string };
  calls: readonly NewCall[];
  rewrittenCreate?: { readonly callId: string; readonly prompt: string };
  tasks: readonly JobTask[];
  notices?: Omit<JobTask, 'kind'>;
  /** New or perhaps changed. */
  links?: readonly string[];
  mayHaveReplies?: boolean;
  callsAgentNow?: boolean;
}>;

export type JobTask = Readonly<{
  kind: JobTaskKind;
  runAtMs: number;
  ifScheduled: 'keep' | 'replace';
}>;

export type DecisionContext = Readonly<{
  nowMs: number;
  jitter: number;
  /** Increasing: keeps rows in order. */
  newId: () => string;
  policy: Policy;
  lateMs?: number;
}>;
