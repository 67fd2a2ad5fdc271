import { lengthsFromJson, toJson } from '../schema/json.ts';
import type { Queries } from '../schema/tables.ts';

/** Of each project. Older ones count for little, and are forgotten. */
const KEPT = 200;

/** How long the last turns of each project took, in milliseconds. They name no person, so nothing else deletes them. */
export class TurnLengths {
  private readonly db: Queries;

  constructor(db: Queries) {
    this.db = db;
  }

  /** Locks the row of the project. */
  async add(projectId: string, lengthMs: number): Promise<void> {
    // Locks the row, even if it is new: a second writer waits here.
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
