import type { CallOutcome, NewCall } from './call.ts';
import type { FollowUp } from './follow-ups/follow-up.ts';
import type { Job } from './job.ts';
import type { Policy, Rules } from './policy.ts';
import type { JobTaskKind } from './task-kinds.ts';

export type JobState = Readonly<{
  job: Job;
  /** The unsent replies, and the one that an event concerns, oldest first. */
  followUps: readonly FollowUp[];
  /** The id of the create call that has not gone out. */
  pendingCreateId?: string;
}>;

/** The consequences of an event: written in one transaction. */
export type Decision = Readonly<{
  job: Job;
  followUps: readonly FollowUp[];
  settled?: CallOutcome & { readonly callId: string };
  calls: readonly NewCall[];
  rewrittenCreate?: { readonly callId: string; readonly prompt: string };
  tasks: readonly JobTask[];
  /** When its notices are edited. */
  notices?: Omit<JobTask, 'kind'>;
  /** Pull requests that the job announced, or that the agent changed: each is checked from now on. */
  watches?: readonly WatchedLink[];
  /** Replies in its thread may have been treated as those of a thread without a job. */
  mayHaveReplies?: boolean;
  callsAgentNow?: boolean;
}>;

/** A job's pull request that a code host can be asked about. */
export type WatchedLink = Readonly<{
  /** See `PullRequestLink`. */
  key: string;
  /** As the job announced it. */
  url: string;
}>;

export type JobTask = Readonly<{
  kind: JobTaskKind;
  runAtMs: number;
  /** `keep`: an existing task keeps its time. `replace`: it gets this one. */
  ifScheduled: 'keep' | 'replace';
}>;

/** Settings and facts that decisions need; time and chance are values. */
export type DecisionContext = Readonly<{
  nowMs: number;
  /** Between 0 and 1. */
  jitter: number;
  /** Increasing, so that rows of the same time keep their order, and are written together. */
  newId: () => string;
  policy: Policy;
  /** For a check: how long it was overdue. */
  lateMs?: number;
}>;

/**
 * Not bound to a job: `policy` holds the defaults, until `policyFor` applies those of the job's channel and
 * project.
 */
export interface AnyJobContext extends DecisionContext {
  readonly rulesOf: (teamId: string) => Rules;
}
