import type { PassAlone } from '../engines/database.ts';
import type { Queries } from '../schema/tables.ts';

/** No allowance takes longer to be whole again: what is further ahead was written before a clock was set back. */
const FURTHEST_AHEAD_MS = 120_000;

/** What of its allowance of reads each project has used, for all replicas together. */
export class ReadBudget {
  private readonly db: Queries;
  private readonly passAlone: PassAlone;

  constructor(db: Queries, passAlone: PassAlone) {
    this.db = db;
    this.passAlone = passAlone;
  }

  /**
   * When the allowance of these projects is whole again; none of which nothing was used is among them. Nobody else can
   * ask this until the transaction ends.
   */
  async wholeAtMs(projectIds: readonly string[], nowMs: number): Promise<ReadonlyMap<string, number>> {
    await this.passAlone('reads');
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
