import type { TaskKind } from '../../../jobs/task-kinds.ts';
import { Table } from '../table.ts';

/** Tasks planned or claimed by a clock that was ahead. */
export class FarTasks extends Table {
  /**
   * Makes up to `limit` tasks of a kind due now that are planned for later than `laterThanMs`. Never waits: skips locked
   * tasks. Returns how many.
   */
  async bringForward(kind: TaskKind, laterThanMs: number, nowMs: number, limit: number): Promise<number> {
    const far = this.db
      .selectFrom('task')
      .select('id')
      .where('kind', '=', kind)
      .where('runAt', '>', laterThanMs)
      .orderBy('runAt')
      .limit(limit)
      .forUpdate()
      .skipLocked();
    const { numUpdatedRows } = await this.db
      .updateTable('task')
      .set({ runAt: nowMs })
      .where('id', 'in', far)
      .executeTakeFirst();
    if (numUpdatedRows > 0n) this.tasks.noteScheduled(kind, nowMs);
    return Number(numUpdatedRows);
  }

  /** Leases of due tasks that end after `laterThanMs` end at `untilMs`, unless they are renewed. */
  async shortenLeases(
    kind: TaskKind,
    { laterThanMs, untilMs }: { readonly laterThanMs: number; readonly untilMs: number },
    nowMs: number,
  ): Promise<void> {
    const far = this.db
      .selectFrom('task')
      .select('id')
      .where('kind', '=', kind)
      .where('runAt', '<=', nowMs)
      .where('leaseUntil', '>', laterThanMs)
      .forUpdate()
      // Locked ones are being ended or renewed.
      .skipLocked();
    await this.db.updateTable('task').set({ leaseUntil: untilMs }).where('id', 'in', far).execute();
  }

  /** Up to `limit` jobs with a later check that neither fails nor is in flight, nearest first. */
  async checksAfter(atMs: number, limit: number): Promise<readonly string[]> {
    const rows = await this.db
      .selectFrom('task')
      .select('subject')
      .where('kind', '=', 'check_job')
      .where('runAt', '>', atMs)
      .where('leaseToken', 'is', null)
      .where('failingSince', 'is', null)
      .orderBy('runAt')
      .limit(limit)
      .execute();
    return rows.map(({ subject }) => subject);
  }
}
