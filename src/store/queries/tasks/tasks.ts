import { randomUUID } from 'node:crypto';
import type { ExpressionBuilder } from 'kysely';
import type { LeaseClock } from '../../engines/database.ts';
import type { Queries, Tables } from '../../schema/tables.ts';
import { prepared, type Values } from '../prepared.ts';
import {
  type Due,
  dueTasks,
  dueTasksOf,
  groupHeads,
  leaseTasks,
  nextFreeTask,
  runTaskNow,
  runTaskNowUnlessLocked,
} from './claiming.ts';
import {
  delayTaskUntil,
  doubtTask,
  endTask,
  failTask,
  freeLease,
  freeTask,
  heldTask,
  repeatTask,
  retryTaskAt,
  type TaskFailure,
} from './leases.ts';
import {
  type ClaimedTask,
  type Lease,
  LeaseLostError,
  type NewTask,
  type TaskGroup,
  type TaskKind,
  taskId,
} from './task.ts';
import { groupOf, ownerOfTask, type TaskOwner } from './task-group.ts';

/** When the first task of each kind is due, of those that a commit scheduled. */
export type Scheduled = ReadonlyMap<TaskKind, number>;

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

/** A time before all leases. */
const NO_LEASE_ENDED = 0;

type Row = Tables['task'];
type Scheduling = Pick<Row, 'id' | 'kind' | 'subject' | 'run_at'> & TaskOwner;

const scheduling = (ifScheduled: NewTask['ifScheduled']) =>
  prepared((db, task: Values<Scheduling>) =>
    db
      .insertInto('task')
      .values({
        id: task.id,
        kind: task.kind,
        subject: task.subject,
        run_at: task.run_at,
        attempts: 0,
        revision: 1,
        group_key: groupOf(task),
        ...freeLease,
      })
      .onConflict((conflict) =>
        conflict.column('id').doUpdateSet((eb) => ({
          revision: eb('task.revision', '+', 1),
          run_at: ifScheduled === 'replace' ? task.run_at : eb.ref('task.run_at'),
        })),
      ),
  );
const scheduleTask = { keep: scheduling('keep'), replace: scheduling('replace') };

const taskById = prepared((db, { id }: Values<{ id: string }>) =>
  db.selectFrom('task').select('id').where('id', '=', id),
);

/** The due queue. A task's id is its kind and subject, so there is at most one of each. */
export class Tasks {
  /** What this transaction scheduled. */
  readonly scheduled = new Map<TaskKind, number>();
  private readonly db: Queries;
  private readonly leaseClock: LeaseClock;

  constructor(db: Queries, leaseClock: LeaseClock) {
    this.db = db;
    this.leaseClock = leaseClock;
  }

  async schedule({ kind, subject, runAtMs, ifScheduled }: NewTask): Promise<void> {
    const task = { id: taskId(kind, subject), kind, subject, run_at: runAtMs, ...ownerOfTask(kind, subject) };
    await scheduleTask[ifScheduled].change(this.db, task);
    this.noteScheduled(kind, runAtMs);
  }

  /** The time by which leases are counted: see `LeaseClock`. */
  leaseNowMs(): Promise<number> {
    return this.leaseClock();
  }

  /**
   * Takes up to `limit` due tasks of these kinds whose lease, if any, has run out; the oldest due first. What the
   * claimer has in hand itself is not taken anew: a lease on it that ran out begins again.
   */
  async claim(claim: Claim): Promise<ClaimedTask[]> {
    const { kinds, nowMs, leaseNowMs, leaseUntilMs, limit, leftOut = [], admit } = claim;
    const found = [];
    for (const kind of kinds) {
      const due = { kind, nowMs, leaseNowMs, limit };
      found.push(
        ...(await (leftOut.length === 0 ? dueTasks.rows(this.db, due) : this.dueOutside(leftOut, due))),
      );
    }
    const due = found.sort((a, b) => a.run_at - b.run_at).slice(0, limit);
    if (due.length === 0) return [];
    const own = claim.inHand.filter(({ taskId: id, token }) =>
      due.some((task) => task.id === id && task.lease_token === token),
    );
    if (own.length > 0) {
      await this.renew(own, leaseUntilMs);
      return this.claim(claim);
    }
    const token = randomUUID();
    const free = due.map(({ id, kind, subject, attempts, revision, group_key: group, unsure_until }) => ({
      kind,
      subject,
      attempts,
      unsureUntilMs: unsure_until,
      group,
      lease: { taskId: id, token, revision },
    }));
    const admitted = admit === undefined ? free : await admit(free);
    if (admitted.length === 0) return [];
    const ids = admitted.map(({ lease }) => ({ id: lease.taskId }));
    await leaseTasks.change(this.db, ids, { token, untilMs: leaseUntilMs });
    return [...admitted];
  }

  /**
   * Makes a task due now, unless it is in hand, or is to be retried: then it keeps its time. Returns whether there is
   * such a task.
   */
  async runNow(kind: TaskKind, subject: string, nowMs: number): Promise<boolean> {
    const id = taskId(kind, subject);
    await runTaskNow.change(this.db, { id, nowMs });
    const task = await taskById.first(this.db, { id });
    if (task !== undefined) this.noteScheduled(kind, nowMs);
    return task !== undefined;
  }

  /** Makes a task due now, even one to be retried. Never waits: a task in hand, or being written, stays as it is. */
  async runNowUnlessLocked(kind: TaskKind, subject: string, nowMs: number): Promise<void> {
    if ((await runTaskNowUnlessLocked.change(this.db, { id: taskId(kind, subject), nowMs })) > 0)
      this.noteScheduled(kind, nowMs);
  }

  /** Extends the leases that are still held. Never waits: a task that another transaction writes stays as it is. */
  async renew(leases: readonly Lease[], untilMs: number): Promise<void> {
    // What others have locked is being ended, or scheduled again: the next renewal comes early enough for it. To wait
    // for it here, with other rows locked, could be a deadlock with a transaction that ends many tasks at a time.
    const free = this.db
      .selectFrom('task')
      .select('id')
      .where((eb) => areHeld(eb, leases))
      .forNoKeyUpdate()
      .skipLocked();
    await this.db.updateTable('task').set({ lease_until: untilMs }).where('id', 'in', free).execute();
  }

  /** Throws LeaseLostError if the lease is not held any more; makes the rest of the transaction safe. */
  async fence(lease: Lease): Promise<void> {
    if (!(await this.isHeld(lease))) throw new LeaseLostError(lease.taskId);
  }

  /** As `fence`, for a caller that has something to write in either case. */
  async isHeld(lease: Lease): Promise<boolean> {
    return (await heldTask.first(this.db, lease)) !== undefined;
  }

  /** Ends the task; if it was scheduled again while in hand, it stays and is free to be claimed. */
  async complete(lease: Lease): Promise<void> {
    const ended = await endTask.change(this.db, lease);
    if (ended > 0) return;
    const freed = await freeTask.first(this.db, lease);
    if (freed === undefined) throw new LeaseLostError(lease.taskId);
    this.noteScheduled(freed.kind, freed.run_at);
  }

  /** Ends the task for now: it is to be claimed at `runAtMs`, or when it was scheduled for while in hand. */
  async repeat(lease: Lease, runAtMs: number): Promise<void> {
    const freed = await repeatTask.first(this.db, { ...lease, runAtMs });
    if (freed === undefined) throw new LeaseLostError(lease.taskId);
    this.noteScheduled(freed.kind, freed.run_at);
  }

  /** Records that what the task sent may still arrive until then. */
  async doubt(lease: Lease, untilMs: number): Promise<void> {
    await doubtTask.change(this.db, { ...lease, untilMs });
  }

  /** Releases the task, to be claimed at `runAtMs`. Counts an attempt. */
  async retryAt(lease: Lease, runAtMs: number): Promise<void> {
    await this.releaseUntil(retryTaskAt, lease, runAtMs);
  }

  /** Releases the task as `retryAt` does, and keeps the words of the failure. */
  async fail(lease: Lease, { words, nowMs, runAtMs }: TaskFailure): Promise<void> {
    const failed = await failTask.first(this.db, { ...lease, words, nowMs, runAtMs });
    this.noteReleased(failed, lease, runAtMs);
  }

  /** Releases the task, to be claimed at `runAtMs`. Nothing was attempted: no attempt is counted, and an earlier failure stays known. */
  async delayUntil(lease: Lease, runAtMs: number): Promise<void> {
    await this.releaseUntil(delayTaskUntil, lease, runAtMs);
  }

  /** Releases tasks whose lease is still held, as they were, to be claimed at once. */
  async release(leases: readonly Lease[]): Promise<void> {
    await this.db
      .updateTable('task')
      .set(freeLease)
      .where((eb) => areHeld(eb, leases))
      .execute();
  }

  /** When the next task of these kinds, outside of these groups, without a lease is due, or null. */
  async nextDueAtMs(kinds: readonly TaskKind[], leftOut: readonly TaskGroup[] = []): Promise<number | null> {
    const times: number[] = [];
    for (const kind of kinds) {
      const free =
        leftOut.length === 0
          ? await nextFreeTask.rows(this.db, { kind })
          : await this.headsOutside(leftOut, kind, NO_LEASE_ENDED);
      times.push(...free.map(({ run_at }) => run_at));
    }
    return times.reduce((first: number | null, atMs) => Math.min(first ?? atMs, atMs), null);
  }

  private async dueOutside(leftOut: readonly TaskGroup[], due: Due) {
    const heads = await this.headsOutside(leftOut, due.kind, due.leaseNowMs);
    // Whatever is among the first so many tasks is in one of the first so many groups.
    const groups = heads
      .filter(({ run_at }) => run_at <= due.nowMs)
      .sort((a, b) => a.run_at - b.run_at)
      .slice(0, due.limit);
    return groups.length === 0 ? [] : dueTasksOf.rows(this.db, groups, due);
  }

  private async headsOutside(leftOut: readonly TaskGroup[], kind: TaskKind, leaseNowMs: number) {
    const heads = await groupHeads.rows(this.db, { kind, leaseNowMs });
    return heads.flatMap(({ group_key: group, run_at }) =>
      run_at === null || leftOut.some((left) => group.startsWith(left)) ? [] : [{ group, run_at }],
    );
  }

  private async releaseUntil(query: typeof retryTaskAt, lease: Lease, runAtMs: number): Promise<void> {
    this.noteReleased(await query.first(this.db, { ...lease, runAtMs }), lease, runAtMs);
  }

  private noteReleased(given: { kind: TaskKind } | undefined, lease: Lease, runAtMs: number): void {
    if (given === undefined) throw new LeaseLostError(lease.taskId);
    this.noteScheduled(given.kind, runAtMs);
  }

  /** Records that this transaction scheduled such a task. */
  noteScheduled(kind: TaskKind, runAtMs: number): void {
    this.scheduled.set(kind, Math.min(this.scheduled.get(kind) ?? runAtMs, runAtMs));
  }
}

function areHeld(eb: ExpressionBuilder<Tables, 'task'>, leases: readonly Lease[]) {
  const ids = leases.map(({ taskId }) => taskId);
  const tokens = new Set(leases.map(({ token }) => token));
  return eb.and([eb('id', 'in', ids), eb('lease_token', 'in', [...tokens])]);
}
