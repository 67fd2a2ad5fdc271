import type { TaskKind } from '../../../jobs/task-kinds.ts';
import { prepared, type Values } from '../prepared.ts';
import { Table } from '../table.ts';

type Far = { readonly kind: TaskKind; readonly laterThanMs: number; readonly nowMs: number };

/** Skips locked tasks, which are in progress. */
const bringTasksForward = prepared(
  (db, { kind, laterThanMs, nowMs, limit }: Values<Far & { readonly limit: number }>) =>
    db
      .updateTable('task')
      .set({ runAt: nowMs })
      .where('id', 'in', (eb) =>
        eb
          .selectFrom('task')
          .select('id')
          .where('kind', '=', kind)
          .where('runAt', '>', laterThanMs)
          .orderBy('runAt')
          .limit(limit)
          .forUpdate()
          .skipLocked(),
      ),
);

type FarLeases = Far & { readonly untilMs: number };

/** For due tasks. Skips locked ones, which are being ended or renewed. */
const shortenLeases = prepared((db, { kind, laterThanMs, untilMs, nowMs }: Values<FarLeases>) =>
  db
    .updateTable('task')
    .set({ leaseUntil: untilMs })
    .where('id', 'in', (eb) =>
      eb
        .selectFrom('task')
        .select('id')
        .where('kind', '=', kind)
        .where('runAt', '<=', nowMs)
        .where('leaseUntil', '>', laterThanMs)
        .forUpdate()
        .skipLocked(),
    ),
);

const laterChecks = prepared((db, { atMs, limit }: Values<{ atMs: number; limit: number }>) =>
  db
    .selectFrom('task')
    .select('subject')
    .where('kind', '=', 'check_job')
    .where('runAt', '>', atMs)
    .where('leaseToken', 'is', null)
    .where('failingSince', 'is', null)
    .orderBy('runAt')
    .limit(limit),
);

/** Tasks planned or claimed by a clock that was ahead. */
export class FarTasks extends Table {
  /**
   * Makes up to `limit` tasks of a kind due now that are planned for later than `laterThanMs`. Never waits: skips locked
   * tasks. Returns how many.
   */
  async bringForward(kind: TaskKind, laterThanMs: number, nowMs: number, limit: number): Promise<number> {
    const brought = await bringTasksForward.change(this.db, { kind, laterThanMs, nowMs, limit });
    if (brought > 0) this.tasks.noteScheduled(kind, nowMs);
    return brought;
  }

  /** Leases of due tasks that end after `laterThanMs` end at `untilMs`, unless they are renewed. */
  async shortenLeases(
    kind: TaskKind,
    lease: { readonly laterThanMs: number; readonly untilMs: number },
    nowMs: number,
  ): Promise<void> {
    await shortenLeases.change(this.db, { kind, nowMs, ...lease });
  }

  /** Up to `limit` jobs with a later check that neither fails nor is in flight, nearest first. */
  async checksAfter(atMs: number, limit: number): Promise<readonly string[]> {
    const rows = await laterChecks.rows(this.db, { atMs, limit });
    return rows.map(({ subject }) => subject);
  }
}
