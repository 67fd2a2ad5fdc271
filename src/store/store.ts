import type { CallRequest, Lane } from '../jobs/call.ts';
import type { Decision, JobState } from '../jobs/decision.ts';
import type { Reply } from '../jobs/event.ts';
import type { Job } from '../jobs/job.ts';
import type { JobLists } from './lists.ts';
import type { BudgetQueue } from './queries/budget-queue.ts';
import type { CatchUps } from './queries/catch-ups.ts';
import type { Census } from './queries/census.ts';
import type { SettingsOfChannels } from './queries/channel-settings.ts';
import type { Checks } from './queries/checks.ts';
import type { TaskFailure } from './queries/failing-tasks.ts';
import type { Gestures } from './queries/gestures.ts';
import type { Homes } from './queries/homes.ts';
import type { Installations } from './queries/installations.ts';
import type { Posts } from './queries/posts.ts';
import type { ReadBudget } from './queries/read-budget.ts';
import type { TurnLengths } from './queries/turn-lengths.ts';
import type { Retention } from './retention.ts';
import type { TaskGroup } from './task-group.ts';

/** The durable memory of the program. Every write happens in a transaction; none awaits the network. */
export interface Store {
  /**
   * Runs `work` in one transaction: all of it is committed, durably, or none of it.
   * An error from `work` undoes the transaction and is thrown on; errors of the database are StoreErrors, of
   * which one that is `mayBeCommitted` leaves open whether it was undone.
   * When Postgres undoes the transaction for the sake of others, `work` is run again from its start, so
   * nothing outside of `tx` may depend on how often it runs. It must not open another transaction.
   */
  transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T>;
  /** Calls `listener`, which must not throw, after each commit that scheduled tasks. Returns what ends it. */
  onScheduled(listener: (scheduled: Scheduled) => void): () => void;
  /** Throws if the store cannot be written. */
  check(): Promise<void>;
  close(): Promise<void>;
}

export interface Transaction {
  readonly gestures: Gestures;
  readonly jobs: Jobs;
  readonly lists: JobLists;
  readonly earlyReplies: EarlyReplies;
  readonly followUps: FollowUps;
  readonly calls: Calls;
  readonly tasks: Tasks;
  readonly catchUps: CatchUps;
  readonly checks: Checks;
  readonly readBudget: ReadBudget;
  readonly budgetQueue: BudgetQueue;
  readonly posts: Posts;
  readonly homes: Homes;
  readonly channelSettings: SettingsOfChannels;
  readonly installations: Installations;
  readonly turnLengths: TurnLengths;
  readonly census: Census;
  readonly retention: Retention;
  /** Writes all that a decision says: the job (inserted if new), its follow-ups, calls, and tasks. */
  write(decision: Decision, nowMs: number): Promise<void>;
}

export interface Jobs {
  /**
   * The job with its follow-ups that may still be sent, locked until the transaction ends: at most 500, those
   * that go out by themselves first, and of these the oldest; and the one at `messageTs`, whatever became of it.
   */
  lock(jobId: string, messageTs?: string | null): Promise<JobState | null>;
  get(jobId: string): Promise<Job | null>;
  /** The id of the job whose thread this is. */
  findByThread(teamId: string, channelId: string, threadTs: string): Promise<string | null>;
  /** The id of the job whose card was refused, and with which the reply at `messageTs` waits for *Try again*. */
  findKeeping(teamId: string, channelId: string, messageTs: string): Promise<string | null>;
  /**
   * Locks the channel's jobs whose card may be posted without our knowing it, until the transaction ends. Returns
   * when the first of them was asked for, or null if there is none.
   */
  lockOpening(teamId: string, channelId: string): Promise<number | null>;
  /**
   * What the person asked for in the channel since then, newest first. Nobody else can ask this of them there
   * until the transaction ends: two requests at the same time see each other.
   */
  requestedBy(
    asker: { readonly teamId: string; readonly channelId: string; readonly requesterId: string },
    sinceMs: number,
  ): Promise<Job[]>;
  /** The jobs that watch this agent job, newest first. Nobody else can ask this until the transaction ends. */
  ofAgentJob(teamId: string, projectId: string, agentJobId: string): Promise<Job[]>;
  /** When the job's card was edited last, or null. */
  cardDrawnAtMs(jobId: string): Promise<number | null>;
  /** Records that the card is edited at this time. */
  cardDrawn(jobId: string, nowMs: number): Promise<void>;
}

/**
 * Replies in threads that may turn out to be those of cards under way. What nobody took for an hour is forgotten
 * when the next is stored or taken, unless a card of the channel is still under way.
 */
export interface EarlyReplies {
  /** Stores the reply, or replaces it if this is a later edit. */
  put(thread: Thread, reply: Reply, nowMs: number): Promise<void>;
  /** The reply was deleted in Slack: whatever else comes of it is too late. */
  withdraw(thread: Thread, messageTs: string, nowMs: number): Promise<void>;
  /** Removes the thread's replies and returns those that were not withdrawn, oldest first. */
  take(thread: Thread, nowMs: number): Promise<Reply[]>;
}

export interface Thread {
  readonly teamId: string;
  readonly channelId: string;
  readonly threadTs: string;
}

export interface FollowUps {
  /** Follow-ups at which not just the reaction may stand that their state asks for, the 100 oldest first. */
  withStaleReceipts(jobId: string): Promise<StaleReceipt[]>;
  /** Records which reactions may stand at the follow-up from now on; it is stale until one is shown. */
  receiptsTried(followUpId: string, receipts: readonly Receipt[]): Promise<void>;
  /** Records that this reaction (null: none) stands at the follow-up, and no other. */
  receiptShown(followUpId: string, receipt: Receipt | null): Promise<void>;
}

/** The reaction at a reply. `eyes`: stored; `done`: accepted by the API; `warning`: not sent, or unknown. */
export type Receipt = 'eyes' | 'done' | 'warning' | 'muted' | 'aside';

export interface StaleReceipt {
  readonly followUpId: string;
  readonly messageTs: string;
  /** Those that were put there, or may have been: an answer can get lost. */
  readonly placed: readonly Receipt[];
  /** Null: none. */
  readonly wanted: Receipt | null;
}

/**
 * The ledger of outward calls.
 * wanted → started → done | failed | unknown; a failed post may become wanted again.
 */
export interface Calls {
  /** The first call of the lane that has no outcome yet (wanted or started), in the order of the wishes. */
  next(lane: string): Promise<LedgerCall | null>;
  get(callId: string): Promise<LedgerCall | null>;
  /** Marks the call as started, before the request goes out. Throws if it is not wanted (any more). */
  start(callId: string, nowMs: number): Promise<void>;
  /** Throws if the call is unknown, or done already. */
  settle(callId: string, outcome: CallOutcome, nowMs: number): Promise<void>;
  /** Records that Slack holds the call up, if that is not known. */
  hold(callId: string, nowMs: number): Promise<void>;
  /** Forgets that Slack held the call up. */
  endHold(callId: string): Promise<void>;
  /**
   * When the project's create and message calls were started after `sinceMs`, the oldest first: the hourly budget. A
   * call that became wanted again (`retry`) counts when it is made again. Nobody else can ask this for the project
   * until the transaction ends.
   */
  agentCallsStartedAt(projectId: string, sinceMs: number): Promise<number[]>;
  /** How many of these were started after `sinceMs`. Locks nothing. */
  agentCallsSince(projectId: string, sinceMs: number): Promise<number>;
}

export interface LedgerCall {
  readonly id: string;
  readonly jobId: string;
  readonly lane: string;
  readonly request: CallRequest;
  readonly state: CallState;
  readonly wantedAtMs: number;
  readonly startedAtMs: number | null;
  /** Since when Slack has not taken it, or not let it be looked for, without saying that it never will; or null. */
  readonly heldSinceMs: number | null;
}

export type CallState = 'wanted' | 'started' | 'done' | 'failed' | 'unknown';

/**
 * `retry`: nothing happened, the call is wanted again. `not_made`: nothing happened, and another call takes its
 * place; it has failed, and uses up no budget. `detail` is kept for the operator.
 */
export interface CallOutcome {
  readonly state: 'done' | 'failed' | 'unknown' | 'retry' | 'not_made';
  readonly detail: string | null;
}

/** The due queue. A task's id is its kind and subject, so there is at most one of each. */
export interface Tasks {
  schedule(task: NewTask): Promise<void>;
  /** The time by which leases are counted: see `LeaseClock`. */
  leaseNowMs(): Promise<number>;
  /**
   * Takes up to `limit` due tasks of these kinds whose lease, if any, has run out; the oldest due first. What the
   * claimer has in hand itself is not taken anew: a lease on it that ran out begins again.
   */
  claim(claim: Claim): Promise<ClaimedTask[]>;
  /** Puts off the end of the leases that are still held. Waits for nobody: a task that another writes is left as it is. */
  renew(leases: readonly Lease[], untilMs: number): Promise<void>;
  /**
   * Makes a task due now, unless it is in hand, or was postponed: then it keeps its time. Returns whether there is
   * such a task.
   */
  hasten(kind: TaskKind, subject: string, nowMs: number): Promise<boolean>;
  /** Makes a task due now that was put off. Waits for nobody: what is in hand, or being written, is left as it is. */
  runNow(kind: TaskKind, subject: string, nowMs: number): Promise<void>;
  /** Throws LeaseLostError if the lease is not held any more; makes the rest of the transaction safe. */
  fence(lease: Lease): Promise<void>;
  /** As `fence`, for those who have something to write all the same. */
  isHeld(lease: Lease): Promise<boolean>;
  /** Ends the task; if it was scheduled again while in hand, it stays and is free to be claimed. */
  complete(lease: Lease): Promise<void>;
  /** Ends the task for now: it is to be claimed at `runAtMs`, or when it was scheduled for while in hand. */
  repeat(lease: Lease, runAtMs: number): Promise<void>;
  /** Records that what the task sent may still arrive until then. */
  doubt(lease: Lease, untilMs: number): Promise<void>;
  /** Gives the task back, to be claimed at `runAtMs`. Counts an attempt. */
  postpone(lease: Lease, runAtMs: number): Promise<void>;
  /** Gives the task back as `postpone` does, and keeps the words of what made the try fail. */
  fail(lease: Lease, failure: TaskFailure): Promise<void>;
  /** Gives the task back, to be claimed at `runAtMs`. Nothing was attempted, so nothing is counted, and a failure before stays known. */
  defer(lease: Lease, runAtMs: number): Promise<void>;
  /** Gives back tasks whose lease is still held, as they were, to be claimed at once. */
  release(leases: readonly Lease[]): Promise<void>;
  /** When the next task of these kinds, outside of these groups, is due that nobody has in hand, or null. */
  nextDueAtMs(kinds: readonly TaskKind[], leftOut?: readonly TaskGroup[]): Promise<number | null>;
}

/**
 * Tasks on a job have the job's id as subject, tasks on a lane of calls the lane's name, `catch_up` a workspace's id,
 * and those on a home what `ownerOfHome` reads.
 */
export const taskKinds = [
  'check_job',
  'check_ended_job',
  'send_follow_ups',
  'refresh_card',
  'refresh_receipts',
  'read_snippets',
  'call_agent',
  'post_to_slack',
  'catch_up',
  'refresh_home',
] as const;
export type TaskKind = (typeof taskKinds)[number];

/** When the first task of each kind is due, of those that a commit scheduled. */
export type Scheduled = ReadonlyMap<TaskKind, number>;

export interface NewTask {
  readonly kind: TaskKind;
  readonly subject: string;
  readonly runAtMs: number;
  readonly ifScheduled: 'keep' | 'replace';
}

export interface Claim {
  readonly kinds: readonly TaskKind[];
  readonly nowMs: number;
  /** By `leaseNowMs`, as is the end of the lease. */
  readonly leaseNowMs: number;
  readonly leaseUntilMs: number;
  /** What the claimer has in hand. */
  readonly inHand: readonly Lease[];
  readonly limit: number;
  /** Whose tasks stay where they are, however long they have been due. */
  readonly leftOut?: readonly TaskGroup[];
  /** Says which of those found are taken; the others stay where they are. */
  readonly admit?: (found: readonly ClaimedTask[]) => Promise<readonly ClaimedTask[]>;
}

export interface ClaimedTask {
  readonly kind: TaskKind;
  readonly subject: string;
  /** How often it was postponed in a row. */
  readonly attempts: number;
  /** Until then, something that it sent without an answer may still arrive; or null. */
  readonly unsureUntilMs: number | null;
  readonly group: TaskGroup;
  readonly lease: Lease;
}

export interface Lease {
  readonly taskId: string;
  /** Made anew at each claim. */
  readonly token: string;
  /** Changes when the task is scheduled again. */
  readonly revision: number;
}

/** The task was taken over by somebody else: what was about to be written must not be. */
export class LeaseLostError extends Error {
  constructor(taskId: string) {
    super(`lease of task ${taskId} was lost`);
    this.name = 'LeaseLostError';
  }
}

/** The task kind that makes the calls of a lane. */
export function laneTaskKind(lane: Lane): TaskKind {
  return lane.to === 'agent' ? 'call_agent' : 'post_to_slack';
}
