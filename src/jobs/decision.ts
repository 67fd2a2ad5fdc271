import type { NewCall, SettledCall } from './call.ts';
import type { FollowUp } from './follow-ups/follow-up.ts';
import type { Job } from './job.ts';
import type { Policy, Rules } from './policy.ts';
import type { JobTaskKind } from './task-kinds.ts';

/** A job with its replies that are not sent yet, and the one that an event is about, oldest first. */
export interface JobState {
  readonly job: Job;
  readonly followUps: readonly FollowUp[];
  /** The create call that is requested and has not gone out, by its id; absent: there is none. */
  readonly pendingCreateId?: string;
}

/** What follows from an event: written in one transaction. */
export interface Decision {
  readonly job: Job;
  /** New or changed follow-ups. */
  readonly followUps: readonly FollowUp[];
  /** The call to the agent that the event answers; absent for all other events. */
  readonly settled?: SettledCall;
  readonly calls: readonly NewCall[];
  /** What the pending create call is to say instead; absent: what it says. */
  readonly rewrittenCreate?: { readonly callId: string; readonly prompt: string };
  readonly tasks: readonly JobTask[];
  /** When the notices of its pull requests are edited; absent: they show things as they are. */
  readonly notices?: Omit<JobTask, 'kind'>;
  /** Pull requests that the job has announced, or that the agent has changed: each is looked at now, and from now on. */
  readonly watches?: readonly WatchedLink[];
  /** Its thread was there before the job: replies in it may have been taken for those of a thread without one. */
  readonly mayHaveReplies?: boolean;
  /** The call that waits in the agent's lane is tried now. */
  readonly callsAgentNow?: boolean;
}

/** A pull request of a job that a code host can be asked about. */
export interface WatchedLink {
  /** See `PullRequestLink`. */
  readonly key: string;
  /** As the job announced it. */
  readonly url: string;
}

export interface JobTask {
  readonly kind: JobTaskKind;
  readonly runAtMs: number;
  /** `keep`: a task that exists keeps its time. `replace`: it gets this one. */
  readonly ifScheduled: 'keep' | 'replace';
}

/** Settings and facts that decisions need; time and chance are values. */
export interface DecisionContext {
  readonly nowMs: number;
  /** Between 0 and 1. */
  readonly jitter: number;
  /** Each is greater than those before, so that rows of the same time keep their order, and are written together. */
  readonly newId: () => string;
  readonly policy: Policy;
  /** Of a check: how long it was due before there was a read for it. */
  readonly lateMs?: number;
}

/** Not bound to a job: `policy` holds the defaults, until `policyFor` applies those of the job's channel and project. */
export interface AnyJobContext extends DecisionContext {
  readonly rulesOf: (teamId: string) => Rules;
}
