import type { CallOutcome, NewCall } from './call.ts';
import type { FollowUp } from './follow-ups/follow-up.ts';
import type { Job } from './job.ts';
import type { Policy } from './policy.ts';
import type { JobTaskKind } from './task-kinds.ts';

export type JobState = Readonly<{
  job: Job;
  /** Unsent replies, and the one that an event concerns, oldest first. */
  followUps: readonly FollowUp[];
  pendingCreateId?: string;
}>;

/** Written in one transaction. */
export type Decision = Readonly<{
  job: Job;
  followUps: readonly FollowUp[];
  settled?: CallOutcome & { readonly callId: string };
  calls: readonly NewCall[];
  rewrittenCreate?: { readonly callId: string; readonly prompt: string };
  tasks: readonly JobTask[];
  notices?: Omit<JobTask, 'kind'>;
  /** Pull requests that are new, or that the agent may have changed. */
  links?: readonly string[];
  /** Replies may have arrived before the thread had this job. */
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
  /** Increasing, so that rows keep their order. */
  newId: () => string;
  policy: Policy;
  /** How long a check was overdue. */
  lateMs?: number;
}>;
