import { lengthsFromJson, toJson } from '../schema/json.ts';
import type { Queries } from '../schema/tables.ts';

/** Of each project. Older ones count for little, and are forgotten. */
const KEPT = 200;

/** How long the last turns of each project took, in milliseconds. They name nobody, so nothing else deletes them. */
export class TurnLengths {
  private readonly db: Queries;

  constructor(db: Queries) {
    this.db = db;
  }

  /** Nobody else can add to the project until the transaction ends. */
  async add(projectId: string, lengthMs: number): Promise<void> {
    // Whoever comes second waits here, also if there is no row yet.
    const { lengths } = await this.db
      .insertInto('turn_lengths')
      .values({ project_id: projectId, lengths: toJson([]) })
      .onConflict((conflict) => conflict.column('project_id').doUpdateSet({ project_id: projectId }))
      .returning('lengths')
      .executeTakeFirstOrThrow();
    await this.db
      .updateTable('turn_lengths')
      .set({ lengths: toJson([...lengthsFromJson(lengths), lengthMs].slice(-KEPT)) })
      .where('project_id', '=', projectId)
      .execute();
  }

  /** By the ids of the projects, the latest last. */
  async all(): Promise<ReadonlyMap<string, readonly number[]>> {
    const rows = await this.db.selectFrom('turn_lengths').selectAll().execute();
    return new Map(rows.map(({ project_id, lengths }) => [project_id, lengthsFromJson(lengths)]));
  }
}
