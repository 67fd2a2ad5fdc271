import { randomUUID } from 'node:crypto';
import type { ExpressionBuilder } from 'kysely';
import type { Queries, Tables } from '../schema/tables.ts';
import type { Claim, ClaimedTask, Lease, NewTask, TaskKind, Tasks } from '../store.ts';
import { LeaseLostError } from '../store.ts';
import { taskId } from '../task-id.ts';

const freeLease = { lease_token: null, lease_until: null };

export class SqlTasks implements Tasks {
  /** What this transaction scheduled. */
  readonly scheduled = new Map<TaskKind, number>();
  private readonly db: Queries;

  constructor(db: Queries) {
    this.db = db;
  }

  async schedule({ kind, subject, runAtMs, ifScheduled }: NewTask): Promise<void> {
    await this.db
      .insertInto('task')
      .values({
        id: taskId(kind, subject),
        kind,
        subject,
        run_at: runAtMs,
        attempts: 0,
        revision: 1,
        ...freeLease,
      })
      .onConflict((conflict) =>
        conflict.column('id').doUpdateSet((eb) => ({
          revision: eb('task.revision', '+', 1),
          run_at: ifScheduled === 'replace' ? runAtMs : eb.ref('task.run_at'),
        })),
      )
      .execute();
    this.note(kind, runAtMs);
  }

  async claim({ kinds, nowMs, leaseUntilMs, limit }: Claim): Promise<ClaimedTask[]> {
    const found = [];
    for (const kind of kinds) found.push(...(await this.due(kind, nowMs, limit)));
    const due = found.sort((a, b) => a.run_at - b.run_at).slice(0, limit);
    if (due.length === 0) return [];
    const token = randomUUID();
    const ids = due.map((task) => task.id);
    await this.db
      .updateTable('task')
      .set({ lease_token: token, lease_until: leaseUntilMs })
      .where('id', 'in', ids)
      .execute();
    return due.map(({ id, kind, subject, attempts, revision }) => ({
      kind,
      subject,
      attempts,
      lease: { taskId: id, token, revision },
    }));
  }

  /** One query for each kind, as each walks its own stretch of the index. */
  private due(kind: TaskKind, nowMs: number, limit: number) {
    return this.db
      .selectFrom('task')
      .select(['id', 'kind', 'subject', 'run_at', 'attempts', 'revision'])
      .where('kind', '=', kind)
      .where('run_at', '<=', nowMs)
      .where((eb) => eb.or([eb('lease_until', 'is', null), eb('lease_until', '<=', nowMs)]))
      .orderBy('run_at')
      .limit(limit)
      .forUpdate()
      .skipLocked()
      .execute();
  }

  async hasten(kind: TaskKind, subject: string, nowMs: number): Promise<boolean> {
    const id = taskId(kind, subject);
    await this.db
      .updateTable('task')
      .set({ run_at: nowMs })
      .where('id', '=', id)
      .where('run_at', '>', nowMs)
      .where('attempts', '=', 0)
      .where('lease_token', 'is', null)
      .execute();
    const task = await this.db.selectFrom('task').select('id').where('id', '=', id).executeTakeFirst();
    if (task !== undefined) this.note(kind, nowMs);
    return task !== undefined;
  }

  async renew(leases: readonly Lease[], untilMs: number): Promise<void> {
    // What others have locked is being ended, or scheduled again: the next renewal comes early enough for it. To wait
    // for it here, with other rows locked, could be a deadlock with those who put off many at a time.
    const free = this.db
      .selectFrom('task')
      .select('id')
      .where((eb) => isHeld(eb, leases))
      .forNoKeyUpdate()
      .skipLocked();
    await this.db.updateTable('task').set({ lease_until: untilMs }).where('id', 'in', free).execute();
  }

  async fence(lease: Lease): Promise<void> {
    // The weakest lock that a takeover cannot pass: scheduling the task again must not wait for the
    // job's lock, which this transaction may want next.
    const held = await this.db
      .selectFrom('task')
      .select('id')
      .where('id', '=', lease.taskId)
      .where('lease_token', '=', lease.token)
      .forKeyShare()
      .executeTakeFirst();
    if (held === undefined) throw new LeaseLostError(lease.taskId);
  }

  async complete(lease: Lease): Promise<void> {
    const ended = await this.db
      .deleteFrom('task')
      .where('id', '=', lease.taskId)
      .where('lease_token', '=', lease.token)
      .where('revision', '=', lease.revision)
      .executeTakeFirst();
    if (ended.numDeletedRows > 0n) return;
    const freed = await this.held(lease)
      .set({ ...freeLease, attempts: 0 })
      .returning(['kind', 'run_at'])
      .executeTakeFirst();
    if (freed === undefined) throw new LeaseLostError(lease.taskId);
    this.note(freed.kind, freed.run_at);
  }

  async postpone(lease: Lease, runAtMs: number): Promise<void> {
    const postponed = await this.held(lease)
      .set((eb) => ({ ...freeLease, run_at: runAtMs, attempts: eb('attempts', '+', 1) }))
      .returning('kind')
      .executeTakeFirst();
    if (postponed === undefined) throw new LeaseLostError(lease.taskId);
    this.note(postponed.kind, runAtMs);
  }

  async release(leases: readonly Lease[]): Promise<void> {
    await this.allHeld(leases).set(freeLease).execute();
  }

  async nextDueAtMs(kinds: readonly TaskKind[]): Promise<number | null> {
    const times: number[] = [];
    for (const kind of kinds) {
      const free = await this.db
        .selectFrom('task')
        .select('run_at')
        .where('kind', '=', kind)
        .where('lease_until', 'is', null)
        .orderBy('run_at')
        .limit(1)
        .executeTakeFirst();
      if (free !== undefined) times.push(free.run_at);
    }
    // Few are in hand, and an index knows them.
    const leased = await this.db
      .selectFrom('task')
      .select(['run_at', 'lease_until'])
      .where('kind', 'in', kinds)
      // Not `is not null`: SQLite would take the other index, and walk through all tasks of the kinds.
      .where('lease_until', '>', 0)
      .$narrowType<{ lease_until: number }>()
      .execute();
    times.push(...leased.map((task) => Math.max(task.run_at, task.lease_until)));
    return times.length === 0 ? null : Math.min(...times);
  }

  /** Notes that this transaction scheduled such a task. */
  note(kind: TaskKind, runAtMs: number): void {
    this.scheduled.set(kind, Math.min(this.scheduled.get(kind) ?? runAtMs, runAtMs));
  }

  private held(lease: Lease) {
    return this.allHeld([lease]);
  }

  private allHeld(leases: readonly Lease[]) {
    return this.db.updateTable('task').where((eb) => isHeld(eb, leases));
  }
}

function isHeld(eb: ExpressionBuilder<Tables, 'task'>, leases: readonly Lease[]) {
  const ids = leases.map(({ taskId }) => taskId);
  const tokens = new Set(leases.map(({ token }) => token));
  return eb.and([eb('id', 'in', ids), eb('lease_token', 'in', [...tokens])]);
}
