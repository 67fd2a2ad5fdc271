import { randomUUID } from 'node:crypto';
import { type ExpressionBuilder, type SelectQueryBuilder, sql, type UpdateObject } from 'kysely';
import { type TaskKind, taskKinds } from '#jobs/task-kinds.ts';
import type { Database } from '../engines/database.ts';
import type { Queries, Tables, TaskGroup } from '../schema/tables.ts';
import { executePrepared, idsOf, namesOf, prepared } from './prepared.ts';
import {
  type ClaimedTask,
  type Due,
  deleteTask,
  dueTasks,
  dueTasksOf,
  firstFreeTasks,
  groupHeads,
  heldTask,
  type Lease,
  LeaseLostError,
  leaseTasks,
  type NewTask,
  newColumns,
  newValues,
  taskId,
} from './task.ts';

export type Scheduled = ReadonlyMap<TaskKind, number>;

export type Claim = Readonly<{
  kinds: readonly TaskKind[];
  nowMs: number;
  /** On the lease clock, like `leaseUntilMs`. */
  leaseNowMs: number;
  leaseUntilMs: number;
  inFlight: readonly Lease[];
  limit: number;
  skippedGroups?: readonly TaskGroup[];
  /** One task from each of some random groups, instead of the longest due. */
  onePerGroup?: boolean;
  admit?: (found: readonly ClaimedTask[]) => Promise<readonly ClaimedTask[]>;
}>;

const NO_LEASE_ENDED = 0;

const freeLease = { leaseToken: null, leaseUntil: null };
const noFailure = { failingSince: null, failure: null };
const oneMoreAttempt = { attempts: sql<number>`attempts + 1` };

function ifHeld(db: Queries, { id, token }: Lease) {
  return db.updateTable('task').where('id', '=', id).where('leaseToken', '=', token);
}

function freed(db: Queries, lease: Lease, changes: UpdateObject<Tables, 'task'>) {
  return ifHeld(db, lease)
    .set({ ...freeLease, ...changes })
    .returning(['kind', 'runAt']);
}

const completed = prepared((db, lease: Lease) => freed(db, lease, { ...noFailure, attempts: 0 }));

const delayed = prepared((db, { runAtMs, ...lease }: Lease & { runAtMs: number }) =>
  freed(db, lease, { runAt: runAtMs }),
);

const repeated = prepared((db, { runAtMs, ...lease }: Lease & { runAtMs: number }) => {
  const runAt = sql<number>`case when revision = ${lease.revision} then ${runAtMs} else run_at end`;
  return freed(db, lease, { ...noFailure, attempts: 0, runAt });
});

type Ids = SelectQueryBuilder<Tables, 'task', { id: string }>;

export class Tasks {
  readonly scheduled = new Map<TaskKind, number>();
  private readonly scheduledIds = new Set<string>();
  private readonly db: Queries;
  private readonly database: Pick<Database, 'leaseNowMs' | 'takeLock'>;

  constructor(db: Queries, database: Pick<Database, 'leaseNowMs' | 'takeLock'>) {
    this.db = db;
    this.database = database;
  }

  leaseNowMs(): Promise<number> {
    return this.database.leaseNowMs(this.db);
  }

  /** A named lock until commit. */
  takeLock(name: string): Promise<void> {
    return this.database.takeLock(this.db, name);
  }

  async schedule({ kind, subject, runAtMs, ifScheduled }: NewTask): Promise<void> {
    const values = newValues(kind, subject, runAtMs);
    const revision = sql<number>`task.revision + 1`;
    const shape = `schedule ${kind} ${ifScheduled} ${namesOf(values)}`;
    await executePrepared(this.db, shape, [values], ([placeholders]) => {
      const task = newColumns(kind, placeholders as typeof values);
      return this.db
        .insertInto('task')
        .values(task)
        .onConflict((conflict) =>
          conflict
            .column('id')
            .doUpdateSet(ifScheduled === 'keep' ? { revision } : { revision, runAt: task.runAt }),
        );
    });
    this.scheduledIds.add(values.id);
    this.noteScheduled(kind, runAtMs);
  }

  /** Oldest first. Renews expired leases of tasks in flight instead of claiming them. */
  async claim(claim: Claim): Promise<ClaimedTask[]> {
    const {
      kinds,
      nowMs,
      leaseNowMs,
      leaseUntilMs,
      limit,
      skippedGroups = [],
      onePerGroup = false,
      admit,
    } = claim;
    const found = [];
    for (const kind of kinds) {
      const due = { kind, nowMs, leaseNowMs, limit };
      const rows =
        skippedGroups.length === 0 && !onePerGroup
          ? await dueTasks(this.db, due)
          : await this.dueOutside(skippedGroups, due, onePerGroup);
      found.push(...rows);
    }
    const due = found.sort((a, b) => a.runAt - b.runAt).slice(0, limit);
    if (due.length === 0) return [];
    const own = claim.inFlight.filter((lease) =>
      due.some(({ id, leaseToken }) => id === lease.id && leaseToken === lease.token),
    );
    if (own.length > 0) {
      await this.renew(own, leaseUntilMs);
      return this.claim(claim);
    }
    const token = randomUUID();
    const free = due.map(({ id, kind, subject, attempts, revision, ...task }) => ({
      ...{ kind, subject, attempts, dueAtMs: task.runAt, unknownUntilMs: task.unknownUntil },
      ...{ group: task.groupKey, lease: { id, token, revision } },
    }));
    const admitted = admit === undefined ? free : await admit(free);
    if (admitted.length === 0) return [];
    const leases = admitted.map(({ lease }) => lease);
    await leaseTasks(this.db, { token, untilMs: leaseUntilMs }, leases);
    return [...admitted];
  }

  /**
   * Makes tasks due now, even if they await a retry (`minAttempts` 1: only those). Skips leased and locked
   * tasks.
   */
  runNowUnlessLocked(
    kind: TaskKind,
    subjects: string | readonly string[],
    nowMs: number,
    minAttempts = 0,
  ): Promise<number> {
    const ids = [subjects].flat().map((subject) => taskId(kind, subject));
    return this.runUnlocked(kind, this.waiting(nowMs, minAttempts).where('id', 'in', ids), nowMs);
  }

  runGroupNow(kind: TaskKind, groupKey: TaskGroup, nowMs: number, minAttempts = 0): Promise<number> {
    const inGroup = this.waiting(nowMs, minAttempts).where((eb) => eb.and({ kind, groupKey }));
    return this.runUnlocked(kind, inGroup, nowMs);
  }

  private waiting(nowMs: number, minAttempts: number): Ids {
    const later = this.ids.where('runAt', '>', nowMs).where('leaseToken', 'is', null);
    return later.where('attempts', '>=', minAttempts);
  }

  /** Makes tasks due that are planned after `laterThanMs`. Skips locked ones. */
  bringForward(kind: TaskKind, laterThanMs: number, nowMs: number, limit: number): Promise<number> {
    const far = this.ids.where('kind', '=', kind).where('runAt', '>', laterThanMs);
    return this.runUnlocked(kind, far.orderBy('runAt').limit(limit), nowMs);
  }

  private async runUnlocked(kind: TaskKind, meant: Ids, nowMs: number) {
    const count = await this.changeUnlocked(meant, { runAt: nowMs });
    if (count > 0) this.noteScheduled(kind, nowMs);
    return count;
  }

  /** To wait with other rows locked could deadlock with a transaction that finishes many tasks. */
  private async changeUnlocked(meant: Ids, changes: UpdateObject<Tables, 'task'>) {
    const { numUpdatedRows } = await this.db
      // Postgres may run a subquery with a limit several times, and would update more.
      .with(
        (name) => name('free').materialized(),
        () => meant.forNoKeyUpdate().skipLocked(),
      )
      .updateTable('task')
      .set(changes)
      .where('id', 'in', (eb) => eb.selectFrom('free').select('id'))
      .executeTakeFirst();
    return Number(numUpdatedRows);
  }

  async shortenLeases(laterThanMs: number, untilMs: number, nowMs: number): Promise<void> {
    const claimed = this.ids.where('kind', 'in', taskKinds).where('runAt', '<=', nowMs);
    await this.changeUnlocked(claimed.where('leaseUntil', '>', laterThanMs), { leaseUntil: untilMs });
  }

  /** Skips tasks that fail or are in flight. */
  async plannedAfter(kind: TaskKind, atMs: number, limit: number): Promise<readonly string[]> {
    const rows = await this.db
      .selectFrom('task')
      .select('subject')
      .where((eb) => eb.and({ kind, leaseToken: null, failingSince: null }))
      .where('runAt', '>', atMs)
      .orderBy('runAt')
      .limit(limit)
      .execute();
    return rows.map(({ subject }) => subject);
  }

  /** A locked task can wait for the next renewal. */
  async renew(leases: readonly Lease[], untilMs: number): Promise<void> {
    await this.changeUnlocked(
      this.ids.where((eb) => areHeld(eb, leases)),
      { leaseUntil: untilMs },
    );
  }

  /** Throws LeaseLostError if the lease is lost. Otherwise prevents a takeover until commit. */
  async fence(lease: Lease): Promise<void> {
    if (!(await this.isHeld(lease))) throw new LeaseLostError(lease.id);
  }

  /** Like `fence`, without throwing. */
  async isHeld(lease: Lease): Promise<boolean> {
    return (await heldTask(this.db, lease)).length > 0;
  }

  /** Releases the task instead if it was rescheduled in flight. */
  async complete(lease: Lease): Promise<void> {
    const isUntouched = !this.scheduledIds.has(lease.id);
    if (isUntouched && (await deleteTask(this.db, lease)).length > 0) return;
    this.noteFreed(lease, await completed(this.db, lease));
  }

  /** Due at `runAtMs`, unless rescheduled in flight. */
  async repeat(lease: Lease, runAtMs: number): Promise<void> {
    this.noteFreed(lease, await repeated(this.db, { ...lease, runAtMs }));
  }

  async markUnknown(lease: Lease, untilMs: number): Promise<void> {
    await ifHeld(this.db, lease).set({ unknownUntil: untilMs }).execute();
  }

  /** Counts an attempt. */
  async retryAt(lease: Lease, runAtMs: number): Promise<void> {
    await this.free(lease, { ...noFailure, ...oneMoreAttempt, runAt: runAtMs });
  }

  /** `words` must hold no secrets or user text. */
  async fail(lease: Lease, runAtMs: number, words: string, nowMs: number): Promise<void> {
    const failingSince = sql<number>`coalesce(failing_since, ${nowMs})`;
    await this.free(lease, { ...oneMoreAttempt, runAt: runAtMs, failingSince, failure: words });
  }

  /** Counts no attempt. A recorded failure stays. */
  async delayUntil(lease: Lease, runAtMs: number): Promise<void> {
    this.noteFreed(lease, await delayed(this.db, { ...lease, runAtMs }));
  }

  async release(leases: readonly Lease[]): Promise<void> {
    await this.db
      .updateTable('task')
      .set(freeLease)
      .where((eb) => areHeld(eb, leases))
      .execute();
  }

  /** Ignores leased tasks. Infinity: there are no others. */
  async nextDueAtMs(kinds: readonly TaskKind[], skippedGroups: readonly TaskGroup[] = []): Promise<number> {
    if (skippedGroups.length === 0) {
      return Math.min(...(await this.firstFreeMs(kinds, NO_LEASE_ENDED)).values());
    }
    let nextMs = Number.POSITIVE_INFINITY;
    for (const kind of kinds) {
      const heads = await this.headsOutside(skippedGroups, kind, NO_LEASE_ENDED);
      nextMs = Math.min(nextMs, ...heads.map(({ runAt }) => runAt));
    }
    return nextMs;
  }

  async firstFreeMs(kinds: readonly TaskKind[], leaseNowMs: number): Promise<ReadonlyMap<TaskKind, number>> {
    if (kinds.length === 0) return new Map();
    const asked = kinds.map((kind) => ({ kind }));
    const rows = await firstFreeTasks(this.db, { leaseNowMs }, asked);
    return new Map(rows.map(({ kind, runAt }) => [kind, runAt]));
  }

  private async dueOutside(skippedGroups: readonly TaskGroup[], due: Due, onePerGroup: boolean) {
    const heads = await this.headsOutside(skippedGroups, due.kind, due.leaseNowMs);
    // The n earliest tasks are in the n earliest groups.
    const groups = heads
      .filter(({ runAt }) => runAt <= due.nowMs)
      .map(({ group, runAt }) => ({ group, place: onePerGroup ? Math.random() : runAt }))
      .sort((a, b) => a.place - b.place)
      .slice(0, due.limit);
    if (groups.length === 0) return [];
    return dueTasksOf(this.db, { ...due, ofEach: onePerGroup ? 1 : due.limit }, groups);
  }

  private async headsOutside(skippedGroups: readonly TaskGroup[], kind: TaskKind, leaseNowMs: number) {
    const heads = await groupHeads(this.db, { kind, leaseNowMs });
    return heads.flatMap(({ groupKey: group, runAt }) =>
      runAt === null || skippedGroups.some((left) => group.startsWith(left)) ? [] : [{ group, runAt }],
    );
  }

  private async free(lease: Lease, changes: UpdateObject<Tables, 'task'>) {
    this.noteFreed(lease, await freed(this.db, lease, changes).execute());
  }

  private noteFreed({ id }: Lease, [task]: readonly { kind: TaskKind; runAt: number }[]) {
    if (task === undefined) throw new LeaseLostError(id);
    this.noteScheduled(task.kind, task.runAt);
  }

  private get ids(): Ids {
    return this.db.selectFrom('task').select('id');
  }

  noteScheduled(kind: TaskKind, runAtMs: number): void {
    this.scheduled.set(kind, Math.min(this.scheduled.get(kind) ?? runAtMs, runAtMs));
  }
}

function areHeld(eb: ExpressionBuilder<Tables, 'task'>, leases: readonly Lease[]) {
  const tokens = new Set(leases.map(({ token }) => token));
  return eb.and([eb('id', 'in', idsOf(leases)), eb('leaseToken', 'in', [...tokens])]);
}
