import type { Decision } from '../jobs/decision.ts';
import { laneTaskKinds } from '../jobs/task-kinds.ts';
import {
  type Database,
  type LeaseClock,
  StoreError,
  type TakeAdvisoryLock,
} from './engines/connection-turns.ts';
import { type HeldLock, heldLocks } from './inspect/held-locks.ts';
import { BudgetQueue } from './queries/calls/budget-queue.ts';
import { Calls } from './queries/calls/calls.ts';
import { ReadBudget } from './queries/calls/read-budget.ts';
import { CatchUps } from './queries/catch-ups.ts';
import { FollowUps } from './queries/follow-ups.ts';
import { EarlyReplies } from './queries/inbound/early-replies.ts';
import { HookAnswers, InboundRequests, StepTokens } from './queries/inbound/inbound-requests.ts';
import { JobLists } from './queries/job-lists.ts';
import { Jobs } from './queries/jobs.ts';
import { Places } from './queries/places.ts';
import { PullRequests } from './queries/pull-requests.ts';
import { Replicas } from './queries/replicas.ts';
import { Audit, Reports, Stats } from './queries/reports/reports.ts';
import { Recipes, Schedules } from './queries/schedules.ts';
import { Checks } from './queries/tasks/checks.ts';
import { type Scheduled, Tasks } from './queries/tasks/tasks.ts';
import { ChannelSettingsTable, Homes } from './queries/workspaces/channel-settings.ts';
import { Installations } from './queries/workspaces/installations.ts';
import { Retention } from './retention.ts';
import type { Queries } from './schema/tables.ts';

export type { HeldLock } from './inspect/held-locks.ts';
export type { LedgerCall } from './queries/calls/calls.ts';
export type { StaleReceipt } from './queries/follow-ups.ts';
export type { LockedJob, Thread } from './queries/jobs.ts';
export {
  type ClaimedTask,
  type Lease,
  LeaseLostError,
  levelsOf,
} from './queries/tasks/task.ts';

export type { Claim, Scheduled, Tasks } from './queries/tasks/tasks.ts';
export type { TaskGroup } from './schema/tables.ts';

export interface TransactionOptions {
  /** Nobody waits for it: requests get the few connections of a database before it. */
  readonly isBackground?: boolean;
}

/** The durable state of the program. Every write happens in a transaction; none awaits the network. */
export interface Store {
  /**
   * Runs `work` in one transaction: all of it is committed, durably, or none of it. An error from `work` rolls it back
   * and is rethrown. Database errors are StoreErrors; with `mayBeCommitted`, the outcome is unknown.
   * After a conflict on Postgres, `work` runs again from its start, so nothing outside of `tx` may depend on how often
   * it runs. It must not open another transaction.
   */
  transaction<T>(work: (tx: Transaction) => Promise<T>, options?: TransactionOptions): Promise<T>;
  /**
   * Calls `listener`, which must not throw, after each commit that scheduled tasks. Returns the unsubscribe function.
   */
  onScheduled(listener: (scheduled: Scheduled) => void): () => void;
  /** Throws if the store cannot be written. */
  check(): Promise<void>;
  /** What other sessions of the database have kept locked for seconds, holding up its work. */
  heldLocks(): Promise<readonly HeldLock[]>;
  close(): Promise<void>;
}

export function backgroundStore(store: Store): Store {
  return {
    ...delegated(store),
    transaction: (work, options) => store.transaction(work, { ...options, isBackground: true }),
  };
}

function delegated(store: Store): Omit<Store, 'transaction'> {
  return {
    onScheduled: (listener) => store.onScheduled(listener),
    check: () => store.check(),
    heldLocks: () => store.heldLocks(),
    close: () => store.close(),
  };
}

export const transactionOutcomes = ['done', 'undone', 'failed', 'disk_full'] as const;

/** `undone`: by the program. `failed`: by the store. `disk_full`: the same, for lack of space. */
export type EndedTransaction = Readonly<{
  outcome: (typeof transactionOutcomes)[number];
  durationMs: number;
}>;

/** Reports how each transaction of the store ends, the write of `check` included. */
export function instrumentedStore(store: Store, report: (transacted: EndedTransaction) => void): Store {
  const reported = async <T>(work: () => Promise<T>): Promise<T> => {
    const startedAtMs = performance.now();
    const ended = (outcome: EndedTransaction['outcome']) =>
      report({ outcome, durationMs: performance.now() - startedAtMs });
    try {
      const result = await work();
      ended('done');
      return result;
    } catch (error) {
      if (!(error instanceof StoreError)) ended('undone');
      else ended(error.isDiskFull ? 'disk_full' : 'failed');
      throw error;
    }
  };
  return {
    ...delegated(store),
    transaction: (work, options) => reported(() => store.transaction(work, options)),
    check: () => reported(() => store.check()),
  };
}

/**
 * Postgres undid the transaction in favour of another: serialization failure, deadlock, or its job was
 * deleted meanwhile. A lock that did not come in time is separate.
 */
const CONFLICT_CODES: ReadonlySet<string | null> = new Set(['40001', '40P01', '23503']);
const MAX_ATTEMPTS = 5;
/**
 * How long a request tries to get a lock, including waits for a connection: its answer must be there while
 * Slack waits.
 */
const LOCK_WITHIN_MS = 1_500;
/** A task returns later anyway. */
const BACKGROUND_LOCK_ATTEMPTS = 3;

export class SqlStore implements Store {
  private readonly database: Database;
  /** Replaces the database's clock. */
  private readonly leaseClock: LeaseClock | null;
  private readonly listeners = new Set<(scheduled: Scheduled) => void>();

  constructor(database: Database, leaseClock: LeaseClock | null) {
    this.database = database;
    this.leaseClock = leaseClock;
  }

  async transaction<T>(work: (tx: Transaction) => Promise<T>, options: TransactionOptions = {}): Promise<T> {
    const { result, scheduled } = await this.attempt(options, async (db) => {
      const leaseClock = this.leaseClock ?? this.database.leaseClockIn(db);
      const tx = transactionIn(db, this.database.advisoryLockIn(db), leaseClock);
      return { result: await work(tx), scheduled: tx.tasks.scheduled };
    });
    if (scheduled.size > 0) for (const listener of this.listeners) listener(scheduled);
    return result;
  }

  onScheduled(listener: (scheduled: Scheduled) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  async check(): Promise<void> {
    await this.attempt({}, (db) =>
      db
        .insertInto('heartbeat')
        .values({ id: 1, beats: 1 })
        .onConflict((conflict) =>
          conflict.column('id').doUpdateSet((eb) => ({ beats: eb('heartbeat.beats', '+', 1) })),
        )
        .execute(),
    );
  }

  async heldLocks(): Promise<readonly HeldLock[]> {
    const { engine, queries } = this.database;
    return engine === 'postgres' ? heldLocks(queries) : [];
  }

  async close(): Promise<void> {
    await this.database.close();
  }

  private async attempt<T>(
    options: TransactionOptions,
    work: (db: Queries) => Promise<T>,
    queries = options.isBackground ? this.database.background : this.database.queries,
    attemptsLeft = MAX_ATTEMPTS,
    sinceMs = performance.now(),
  ): Promise<T> {
    let isAtCommit = false;
    try {
      // After waiting for a lock, a transaction must see what was written under it. The database default may
      // be stricter.
      const transaction = queries.transaction().setIsolationLevel('read committed');
      return await transaction.execute(async (db) => {
        const result = await work(db);
        isAtCommit = true;
        return result;
      });
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      const isConflict = CONFLICT_CODES.has(error.code) || error.isLocked;
      const isWaitingRequest = error.isLocked && !options.isBackground;
      const mayTryAgain = isWaitingRequest
        ? performance.now() < sinceMs + LOCK_WITHIN_MS
        : attemptsLeft > (error.isLocked ? MAX_ATTEMPTS - BACKGROUND_LOCK_ATTEMPTS + 1 : 1);
      // Others go first meanwhile.
      const next = isWaitingRequest ? this.database.again : queries;
      if (isConflict && mayTryAgain) return this.attempt(options, work, next, attemptsLeft - 1, sinceMs);
      // The connection may have broken during the commit.
      error.mayBeCommitted ||= isAtCommit && this.database.engine === 'postgres' && !isConflict;
      throw error;
    }
  }
}

function transactionIn(db: Queries, takeAdvisoryLock: TakeAdvisoryLock, leaseClock: LeaseClock) {
  const tasks = new Tasks(db, leaseClock);
  const shared = { tasks, takeAdvisoryLock };
  const tables = {
    tasks,
    inboundRequests: new InboundRequests(db),
    jobs: new Jobs(db, shared),
    lists: new JobLists(db),
    earlyReplies: new EarlyReplies(db),
    followUps: new FollowUps(db),
    stepTokens: new StepTokens(db),
    calls: new Calls(db, shared),
    catchUps: new CatchUps(db, shared),
    checks: new Checks(db, shared),
    places: new Places(db, shared),
    pullRequests: new PullRequests(db, shared),
    readBudget: new ReadBudget(db, shared),
    budgetQueue: new BudgetQueue(db),
    installations: new Installations(db),
    channelSettings: new ChannelSettingsTable(db),
    recipes: new Recipes(db, shared),
    replicas: new Replicas(db),
    schedules: new Schedules(db),
    hookAnswers: new HookAnswers(db),
    stats: new Stats(db),
    reports: new Reports(db),
    audit: new Audit(db),
    retention: new Retention(db),
    homes: new Homes(db, shared),
  };
  return {
    ...tables,
    /** Writes a decision: the job (inserted if new), its follow-ups, calls (new and settled), and tasks. */
    write: (decision: Decision, nowMs: number) => write(tables, decision, nowMs),
  };
}

export interface Transaction extends ReturnType<typeof transactionIn> {}

async function write(tx: Omit<Transaction, 'write'>, decision: Decision, nowMs: number): Promise<void> {
  const { job, followUps, settled, calls, tasks, notices, watches = [], rewrittenCreate } = decision;
  await tx.jobs.put(job);
  if (settled !== undefined) {
    await tx.calls.settle(settled.callId, settled, nowMs);
    // What was not made keeps its place.
    await (settled.state === 'retry' || settled.state === 'not_made'
      ? tx.budgetQueue.join(settled.callId)
      : tx.budgetQueue.leave(settled.callId));
  }
  for (const followUp of followUps) await tx.followUps.put(followUp);
  for (const call of calls) {
    await tx.calls.add(call, job, nowMs);
    if (call.lane.to === 'agent') await tx.budgetQueue.join(call.id);
    const { to, name: subject } = call.lane;
    await tx.tasks.schedule({ kind: laneTaskKinds[to], subject, runAtMs: nowMs, ifScheduled: 'keep' });
  }
  if (rewrittenCreate !== undefined) {
    const { callId, prompt } = rewrittenCreate;
    await tx.calls.rewrite(callId, { kind: 'create_job', prompt });
  }
  for (const task of tasks) await tx.tasks.schedule({ ...task, subject: job.id });
  if (notices !== undefined) {
    const lanes = (await tx.calls.posted(job.id, 'notify_channel')).map(({ lane }) => lane);
    for (const subject of new Set(lanes)) {
      await tx.tasks.schedule({ kind: 'refresh_notice', subject, ...notices });
    }
  }
  for (const link of watches) await tx.pullRequests.watch(job, link, nowMs);
  if (decision.mayHaveReplies) await tx.catchUps.request(job, nowMs);
  if (decision.callsAgentNow) await tx.tasks.runNowUnlessLocked('call_agent', `agent:${job.id}`, nowMs);
  await tx.homes.follow(decision, nowMs);
}
