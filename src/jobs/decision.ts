import type { WantedCall } from './call.ts';
import type { FollowUp } from './follow-up.ts';
import type { Job } from './job.ts';
import type { Pace } from './pace.ts';
import type { Policy, Rules } from './policy.ts';

/** A job with its replies that are not sent yet, and the one that an event is about, oldest first. */
export interface JobState {
  readonly job: Job;
  readonly followUps: readonly FollowUp[];
}

/** What follows from an event: written in one transaction. */
export interface Decision {
  readonly job: Job;
  /** New or changed follow-ups. */
  readonly followUps: readonly FollowUp[];
  readonly calls: readonly WantedCall[];
  readonly tasks: readonly WantedTask[];
  /** Its thread was there before the job: replies in it may have been taken for those of a thread without one. */
  readonly mayHaveReplies?: boolean;
  /** How long the turn took that was just seen to be over; absent if none was, or nobody can tell. */
  readonly turnLengthMs?: number;
}

export interface WantedTask {
  readonly kind: JobTaskKind;
  readonly runAtMs: number;
  /** `keep`: a task that stands already keeps its time. `replace`: it gets this one. */
  readonly ifScheduled: 'keep' | 'replace';
}

/** Work on a job that is not a call: there is at most one of each per job. */
export type JobTaskKind =
  | 'check_job'
  | 'check_ended_job'
  | 'send_follow_ups'
  | 'refresh_card'
  | 'refresh_receipts'
  | 'read_snippets';

/** Settings and facts that decisions need; time and chance come in as values. */
export interface DecisionContext {
  readonly nowMs: number;
  /** Between 0 and 1. */
  readonly jitter: number;
  /** Grows with the time, so that rows of the same time stand together, and are written together. */
  readonly newId: () => string;
  readonly policy: Policy;
  /** What is known of how long the turns of projects take, by their ids. */
  readonly paces: ReadonlyMap<string, Pace>;
}

/** For whatever job: the policy is that of everywhere, until `policyFor` makes it that of the job, with its notices. */
export interface AnyJobContext extends DecisionContext {
  readonly rulesOf: (teamId: string) => Rules;
}
