import { randomUUID } from 'node:crypto';
import type { ExpressionBuilder } from 'kysely';
import type { LeaseClock } from '../engines/database.ts';
import type { Queries, Tables } from '../schema/tables.ts';
import type { Claim, ClaimedTask, Lease, NewTask, TaskKind, Tasks } from '../store.ts';
import { LeaseLostError } from '../store.ts';
import { groupOf, ownerOfTask, type TaskGroup, type TaskOwner } from '../task-group.ts';
import { taskId } from '../task-id.ts';
import {
  type Due,
  dueTasks,
  dueTasksOf,
  groupHeads,
  hastenTask,
  leaseTasks,
  nextFreeTask,
  runNowIfPutOff,
} from './claiming.ts';
import { failTask, noFailure, type TaskFailure } from './failing-tasks.ts';
import { prepared, type Values } from './prepared.ts';

/** A time before all leases. */
const NO_LEASE_ENDED = 0;

const freeLease = { lease_token: null, lease_until: null };

type Row = Tables['task'];
type Held = Pick<Lease, 'taskId' | 'token'>;
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

/**
 * Locked as weakly as a takeover cannot pass: scheduling the task again must not wait for the job's lock, which this
 * transaction may want next.
 */
const heldTask = prepared((db, { taskId, token }: Values<Held>) =>
  db.selectFrom('task').select('id').where('id', '=', taskId).where('lease_token', '=', token).forKeyShare(),
);

const endTask = prepared((db, { taskId, token, revision }: Values<Lease>) =>
  db
    .deleteFrom('task')
    .where('id', '=', taskId)
    .where('lease_token', '=', token)
    .where('revision', '=', revision),
);

const freeTask = prepared((db, { taskId, token }: Values<Held>) =>
  db
    .updateTable('task')
    .set({ ...freeLease, ...noFailure, attempts: 0 })
    .where('id', '=', taskId)
    .where('lease_token', '=', token)
    .returning(['kind', 'run_at']),
);

const postponeTask = prepared((db, { taskId, token, runAtMs }: Values<Held & { runAtMs: number }>) =>
  db
    .updateTable('task')
    .set((eb) => ({ ...freeLease, ...noFailure, run_at: runAtMs, attempts: eb('attempts', '+', 1) }))
    .where('id', '=', taskId)
    .where('lease_token', '=', token)
    .returning('kind'),
);

/** A task that was scheduled again while in hand keeps the time that it was scheduled for. */
const repeatTask = prepared((db, { taskId, token, revision, runAtMs }: Values<Lease & { runAtMs: number }>) =>
  db
    .updateTable('task')
    .set((eb) => ({
      ...freeLease,
      attempts: 0,
      run_at: eb.case().when('revision', '=', revision).then(runAtMs).else(eb.ref('run_at')).end(),
    }))
    .where('id', '=', taskId)
    .where('lease_token', '=', token)
    .returning(['kind', 'run_at']),
);

const doubtTask = prepared((db, { taskId, token, untilMs }: Values<Held & { untilMs: number }>) =>
  db
    .updateTable('task')
    .set({ unsure_until: untilMs })
    .where('id', '=', taskId)
    .where('lease_token', '=', token),
);

const deferTask = prepared((db, { taskId, token, runAtMs }: Values<Held & { runAtMs: number }>) =>
  db
    .updateTable('task')
    .set({ ...freeLease, run_at: runAtMs })
    .where('id', '=', taskId)
    .where('lease_token', '=', token)
    .returning('kind'),
);

export class SqlTasks implements Tasks {
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
    this.note(kind, runAtMs);
  }

  leaseNowMs(): Promise<number> {
    return this.leaseClock();
  }

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

  async hasten(kind: TaskKind, subject: string, nowMs: number): Promise<boolean> {
    const id = taskId(kind, subject);
    await hastenTask.change(this.db, { id, nowMs });
    const task = await taskById.first(this.db, { id });
    if (task !== undefined) this.note(kind, nowMs);
    return task !== undefined;
  }

  async runNow(kind: TaskKind, subject: string, nowMs: number): Promise<void> {
    if ((await runNowIfPutOff.change(this.db, { id: taskId(kind, subject), nowMs })) > 0)
      this.note(kind, nowMs);
  }

  async renew(leases: readonly Lease[], untilMs: number): Promise<void> {
    // What others have locked is being ended, or scheduled again: the next renewal comes early enough for it. To wait
    // for it here, with other rows locked, could be a deadlock with those who put off many at a time.
    const free = this.db
      .selectFrom('task')
      .select('id')
      .where((eb) => areHeld(eb, leases))
      .forNoKeyUpdate()
      .skipLocked();
    await this.db.updateTable('task').set({ lease_until: untilMs }).where('id', 'in', free).execute();
  }

  async fence(lease: Lease): Promise<void> {
    if (!(await this.isHeld(lease))) throw new LeaseLostError(lease.taskId);
  }

  async isHeld(lease: Lease): Promise<boolean> {
    return (await heldTask.first(this.db, lease)) !== undefined;
  }

  async complete(lease: Lease): Promise<void> {
    const ended = await endTask.change(this.db, lease);
    if (ended > 0) return;
    const freed = await freeTask.first(this.db, lease);
    if (freed === undefined) throw new LeaseLostError(lease.taskId);
    this.note(freed.kind, freed.run_at);
  }

  async repeat(lease: Lease, runAtMs: number): Promise<void> {
    const freed = await repeatTask.first(this.db, { ...lease, runAtMs });
    if (freed === undefined) throw new LeaseLostError(lease.taskId);
    this.note(freed.kind, freed.run_at);
  }

  async doubt(lease: Lease, untilMs: number): Promise<void> {
    await doubtTask.change(this.db, { ...lease, untilMs });
  }

  async postpone(lease: Lease, runAtMs: number): Promise<void> {
    await this.giveBack(postponeTask, lease, runAtMs);
  }

  async fail(lease: Lease, { words, nowMs, runAtMs }: TaskFailure): Promise<void> {
    const failed = await failTask.first(this.db, { ...lease, words, nowMs, runAtMs });
    this.givenBack(failed, lease, runAtMs);
  }

  async defer(lease: Lease, runAtMs: number): Promise<void> {
    await this.giveBack(deferTask, lease, runAtMs);
  }

  async release(leases: readonly Lease[]): Promise<void> {
    await this.db
      .updateTable('task')
      .set(freeLease)
      .where((eb) => areHeld(eb, leases))
      .execute();
  }

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

  private async giveBack(query: typeof postponeTask, lease: Lease, runAtMs: number): Promise<void> {
    this.givenBack(await query.first(this.db, { ...lease, runAtMs }), lease, runAtMs);
  }

  private givenBack(given: { kind: TaskKind } | undefined, lease: Lease, runAtMs: number): void {
    if (given === undefined) throw new LeaseLostError(lease.taskId);
    this.note(given.kind, runAtMs);
  }

  /** Notes that this transaction scheduled such a task. */
  note(kind: TaskKind, runAtMs: number): void {
    this.scheduled.set(kind, Math.min(this.scheduled.get(kind) ?? runAtMs, runAtMs));
  }
}

function areHeld(eb: ExpressionBuilder<Tables, 'task'>, leases: readonly Lease[]) {
  const ids = leases.map(({ taskId }) => taskId);
  const tokens = new Set(leases.map(({ token }) => token));
  return eb.and([eb('id', 'in', ids), eb('lease_token', 'in', [...tokens])]);
}
