import { sql } from 'kysely';
import type { Decision } from '#jobs/decide/decision-builder.ts';
import { laneTaskKinds } from '#jobs/task-kinds.ts';
import { type Database, type HeldLock, StoreError } from './engines/database.ts';
import { BudgetQueue, ReadBudget } from './queries/budgets.ts';
import { Calls } from './queries/calls.ts';
import { CatchUps } from './queries/catch-ups.ts';
import { Checks } from './queries/checks.ts';
import { FollowUps } from './queries/follow-ups.ts';
import { EarlyReplies, HookAnswers, InboundRequests } from './queries/inbound.ts';
import { JobLists, Jobs } from './queries/jobs.ts';
import { Audit, Replicas, Stats } from './queries/operations.ts';
import { Places } from './queries/places.ts';
import { Recipes, Schedules } from './queries/schedules.ts';
import { type Scheduled, Tasks } from './queries/tasks.ts';
import { ChannelSettingsTable, Homes, Installations } from './queries/workspaces.ts';
import { Retention } from './retention.ts';
import type { Queries } from './schema/tables.ts';

export type { LedgerCall } from './queries/calls.ts';
export type { LockedJob, Thread } from './queries/jobs.ts';
export { type ClaimedTask, type Lease, LeaseLostError, levelsOf } from './queries/task.ts';
export type { Claim, Scheduled, Tasks } from './queries/tasks.ts';
export type { TaskGroup } from './schema/tables.ts';

export type Store = Pick<SqlStore, keyof SqlStore>;

export const transactionOutcomes = ['done', 'undone', 'failed', 'disk_full'] as const;

export type EndedTransaction = Readonly<{
  outcome: (typeof transactionOutcomes)[number];
  durationMs: number;
}>;

/** Serialization failure, deadlock, or a deleted job. */
const CONFLICT_CODES: ReadonlySet<string | null> = new Set(['40001', '40P01', '23503']);
const MAX_ATTEMPTS = 5;
/** Slack waits for the answer. */
const LOCK_WITHIN_MS = 1_500;
/** The task is retried later. */
const MAX_BACKGROUND_LOCK_ATTEMPTS = 3;

export class SqlStore {
  private readonly database: Database;
  private readonly report: (ended: EndedTransaction) => void;
  private readonly listeners = new Set<(scheduled: Scheduled) => void>();
  private readonly isBackground: boolean = false;

  constructor(database: Database, report: (ended: EndedTransaction) => void = () => {}) {
    this.database = database;
    this.report = report;
  }

  /**
   * Commits durably. Rolls back and rethrows errors of `work`. Database errors are StoreErrors. After a
   * Postgres conflict, `work` runs again, so it must change nothing outside `tx`. Must not be nested.
   */
  async transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    const { result, scheduled } = await this.attempt(async (db) => {
      const tx = transactionIn(db, this.database);
      return { result: await work(tx), scheduled: tx.tasks.scheduled };
    });
    if (scheduled.size > 0) for (const listener of this.listeners) listener(scheduled);
    return result;
  }

  /** The same store, whose transactions let those of requests go first. */
  inBackground(): Store {
    return Object.assign(Object.create(this), { isBackground: true });
  }

  /** Called after each commit that scheduled tasks. `listener` must not throw. */
  onScheduled(listener: (scheduled: Scheduled) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  async check(): Promise<void> {
    const beat = sql`
      insert into heartbeat (id, beats) values (1, 1) on conflict (id) do update set beats = heartbeat.beats + 1`;
    await this.attempt((db) => beat.execute(db));
  }

  heldLocks(): Promise<readonly HeldLock[]> {
    return this.database.heldLocks();
  }

  close(): Promise<void> {
    return this.database.close();
  }

  private async attempt<T>(work: (db: Queries) => Promise<T>) {
    const startedAtMs = performance.now();
    let outcome: EndedTransaction['outcome'] = 'done';
    try {
      return await this.untilDone(startedAtMs, work);
    } catch (error) {
      if (!(error instanceof StoreError)) outcome = 'undone';
      else outcome = error.isDiskFull ? 'disk_full' : 'failed';
      throw error;
    } finally {
      this.report({ outcome, durationMs: performance.now() - startedAtMs });
    }
  }

  private async untilDone<T>(startedAtMs: number, work: (db: Queries) => Promise<T>) {
    let queries = this.isBackground ? this.database.background : this.database.queries;
    for (let attempts = 1; ; attempts += 1) {
      let isAtCommit = false;
      try {
        // After waiting for a lock, a transaction must see what was written under it. The database default
        // may be stricter.
        const transaction = queries.transaction().setIsolationLevel('read committed');
        return await transaction.execute(async (db) => {
          const result = await work(db);
          isAtCommit = true;
          return result;
        });
      } catch (error) {
        if (!(error instanceof StoreError)) throw error;
        const isWaitingRequest = error.isLocked && !this.isBackground;
        const maxAttempts = error.isLocked ? MAX_BACKGROUND_LOCK_ATTEMPTS : MAX_ATTEMPTS;
        const mayTryAgain = isWaitingRequest
          ? performance.now() < startedAtMs + LOCK_WITHIN_MS
          : attempts < maxAttempts;
        const isConflict = error.isLocked || CONFLICT_CODES.has(error.code);
        if (!isConflict || !mayTryAgain) {
          // The connection may have broken during the commit.
          error.mayBeCommitted ||= isAtCommit && this.database.engine === 'postgres' && !isConflict;
          throw error;
        }
        if (isWaitingRequest) queries = this.database.again;
      }
    }
  }
}

function transactionIn(db: Queries, database: Database) {
  const tasks = new Tasks(db, database);
  const tables = {
    tasks,
    inboundRequests: new InboundRequests(db, tasks),
    jobs: new Jobs(db, tasks),
    lists: new JobLists(db, tasks),
    earlyReplies: new EarlyReplies(db, tasks),
    followUps: new FollowUps(db, tasks),
    calls: new Calls(db, tasks),
    catchUps: new CatchUps(db, tasks),
    checks: new Checks(db, tasks),
    places: new Places(db, tasks),
    readBudget: new ReadBudget(db, tasks),
    budgetQueue: new BudgetQueue(db, tasks),
    installations: new Installations(db, tasks),
    channelSettings: new ChannelSettingsTable(db, tasks),
    recipes: new Recipes(db, tasks),
    replicas: new Replicas(db, tasks),
    schedules: new Schedules(db, tasks),
    hookAnswers: new HookAnswers(db, tasks),
    stats: new Stats(db, tasks),
    audit: new Audit(db, tasks),
    retention: new Retention(db, tasks),
    homes: new Homes(db, tasks),
  };
  return {
    ...tables,
    queries: <Q>(OfFeature: new (db: Queries, tasks: Tasks) => Q): Q => new OfFeature(db, tasks),
    write: (decision: Decision, nowMs: number) => write(tables, decision, nowMs),
  };
}

export interface Transaction extends ReturnType<typeof transactionIn> {}

async function write(tx: Omit<Transaction, 'write' | 'queries'>, decision: Decision, nowMs: number) {
  const { job, followUps, endedCall, calls, tasks, notices, rewrittenCreate } = decision;
  await tx.jobs.put(job);
  if (endedCall !== undefined) {
    await tx.calls.recordOutcome(endedCall.callId, endedCall, nowMs);
    // A call that was not made keeps its place.
    await (endedCall.state === 'retry' || endedCall.state === 'not_made'
      ? tx.budgetQueue.join(endedCall.callId)
      : tx.budgetQueue.leave(endedCall.callId));
  }
  for (const followUp of followUps) await tx.followUps.put(followUp);
  for (const call of calls) {
    await tx.calls.add(call, job, nowMs);
    if (call.lane.to === 'agent') await tx.budgetQueue.join(call.id);
    const { to, name: subject } = call.lane;
    await tx.tasks.schedule({ kind: laneTaskKinds[to], subject, runAtMs: nowMs, ifScheduled: 'keep' });
  }
  if (rewrittenCreate !== undefined) {
    const { callId, ...instruction } = rewrittenCreate;
    await tx.calls.rewrite(callId, { kind: 'create_job', ...instruction });
  }
  for (const task of tasks) await tx.tasks.schedule({ ...task, subject: job.id });
  if (notices !== undefined) {
    const posted = await tx.calls.posted(job.id, 'notify_channel');
    for (const subject of new Set(posted.map(({ lane }) => lane))) {
      await tx.tasks.schedule({ kind: 'refresh_notice', subject, ...notices });
    }
  }
  if (decision.mayHaveReplies) await tx.catchUps.request(job, nowMs);
  if (decision.callsAgentNow) await tx.tasks.runNowUnlessLocked('call_agent', `agent:${job.id}`, nowMs);
  await tx.homes.follow(decision, nowMs);
}
