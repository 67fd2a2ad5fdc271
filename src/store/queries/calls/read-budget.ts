import type { TakeAdvisoryLock } from '../../engines/database.ts';
import type { Queries } from '../../schema/tables.ts';

/** No allowance takes longer to be whole again: what is further ahead was written before a clock was set back. */
const FURTHEST_AHEAD_MS = 120_000;

/** What of its allowance of reads each project has used, for all replicas together. */
export class ReadBudget {
  private readonly db: Queries;
  private readonly takeAdvisoryLock: TakeAdvisoryLock;

  constructor(db: Queries, takeAdvisoryLock: TakeAdvisoryLock) {
    this.db = db;
    this.takeAdvisoryLock = takeAdvisoryLock;
  }

  /**
   * When the allowance of these projects is whole again; a project that has used none is absent. Takes a lock for
   * all projects.
   */
  async wholeAtMs(projectIds: readonly string[], nowMs: number): Promise<ReadonlyMap<string, number>> {
    await this.takeAdvisoryLock('reads');
    const rows = await this.db
      .selectFrom('read_budget')
      .selectAll()
      .where('project_id', 'in', projectIds)
      .where('whole_at', '<=', nowMs + FURTHEST_AHEAD_MS)
      .execute();
    return new Map(rows.map(({ project_id, whole_at }) => [project_id, whole_at]));
  }

  async put(wholeAtMs: ReadonlyMap<string, number>): Promise<void> {
    await this.db
      .insertInto('read_budget')
      .values([...wholeAtMs].map(([project_id, whole_at]) => ({ project_id, whole_at })))
      .onConflict((conflict) =>
        conflict.column('project_id').doUpdateSet((eb) => ({ whole_at: eb.ref('excluded.whole_at') })),
      )
      .execute();
  }
}
