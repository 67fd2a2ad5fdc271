import type { CallOutcome, NewCall } from './call.ts';
import type { FollowUp } from './follow-ups/follow-up.ts';
import type { Job } from './job.ts';
import type { Policy, Rules } from './policy.ts';
import type { JobTaskKind } from './task-kinds.ts';

export interface JobState {
  readonly job: Job;
  /** The unsent replies, and the one that an event concerns, oldest first. */
  readonly followUps: readonly FollowUp[];
  /** The id of the create call that has not gone out. */
  readonly pendingCreateId?: string;
}

/** The consequences of an event: written in one transaction. */
export interface Decision {
  readonly job: Job;
  readonly followUps: readonly FollowUp[];
  readonly settled?: CallOutcome & { readonly callId: string };
  readonly calls: readonly NewCall[];
  readonly rewrittenCreate?: { readonly callId: string; readonly prompt: string };
  readonly tasks: readonly JobTask[];
  /** When its notices are edited. */
  readonly notices?: Omit<JobTask, 'kind'>;
  /** Pull requests that the job announced, or that the agent changed: each is checked from now on. */
  readonly watches?: readonly WatchedLink[];
  /** Replies in its thread may have been treated as those of a thread without a job. */
  readonly mayHaveReplies?: boolean;
  readonly callsAgentNow?: boolean;
}

/** A job's pull request that a code host can be asked about. */
export interface WatchedLink {
  /** See `PullRequestLink`. */
  readonly key: string;
  /** As the job announced it. */
  readonly url: string;
}

export interface JobTask {
  readonly kind: JobTaskKind;
  readonly runAtMs: number;
  /** `keep`: an existing task keeps its time. `replace`: it gets this one. */
  readonly ifScheduled: 'keep' | 'replace';
}

/** Settings and facts that decisions need; time and chance are values. */
export interface DecisionContext {
  readonly nowMs: number;
  /** Between 0 and 1. */
  readonly jitter: number;
  /** Increasing, so that rows of the same time keep their order, and are written together. */
  readonly newId: () => string;
  readonly policy: Policy;
  /** For a check: how long it was overdue. */
  readonly lateMs?: number;
}

/**
 * Not bound to a job: `policy` holds the defaults, until `policyFor` applies those of the job's channel and
 * project.
 */
export interface AnyJobContext extends DecisionContext {
  readonly rulesOf: (teamId: string) => Rules;
}
