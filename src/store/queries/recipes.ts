import { newRuns, type RecipeRuns } from '../../jobs/recipes/runs.ts';
import type { TakeAdvisoryLock } from '../engines/database.ts';
import { type Queries, Table } from '../schema/tables.ts';
import type { ScheduleKey } from './schedules.ts';

/** A recipe of a workspace. */
export type RecipeKey = ScheduleKey;

/** What has become of recipes. A row stays when its recipe is removed from the settings. */
export class Recipes extends Table {
  private readonly takeAdvisoryLock: TakeAdvisoryLock;

  constructor(db: Queries, takeAdvisoryLock: TakeAdvisoryLock) {
    super(db);
    this.takeAdvisoryLock = takeAdvisoryLock;
  }

  /** Until the commit, nobody else starts it: its last job stays the last. */
  async lockStarts({ teamId, name }: RecipeKey): Promise<void> {
    await this.takeAdvisoryLock(`recipe:${teamId}:${name}`);
  }

  /** Without a lock. */
  async get({ teamId, name }: RecipeKey): Promise<RecipeRuns> {
    const row = await this.db
      .selectFrom('recipe')
      .selectAll()
      .where((eb) => eb.and({ team_id: teamId, name }))
      .executeTakeFirst();
    return row === undefined
      ? newRuns
      : {
          jobId: row.job_id,
          failures: row.failures,
          hasFailed: row.has_failed === 1,
          pausedAtMs: row.paused_at,
        };
  }

  /** Locked until the commit. Whoever locks its last job as well does that first. */
  async lock(key: RecipeKey): Promise<RecipeRuns> {
    const { teamId: team_id, name } = key;
    await this.db
      .insertInto('recipe')
      .values({ team_id, name, ...columnsOf(newRuns) })
      .onConflict((conflict) => conflict.columns(['team_id', 'name']).doUpdateSet({ name }))
      .execute();
    return this.get(key);
  }

  async put({ teamId, name }: RecipeKey, runs: RecipeRuns): Promise<void> {
    await this.db
      .updateTable('recipe')
      .set(columnsOf(runs))
      .where((eb) => eb.and({ team_id: teamId, name }))
      .execute();
  }
}

function columnsOf({ jobId, failures, hasFailed, pausedAtMs }: RecipeRuns) {
  return { job_id: jobId, failures, has_failed: hasFailed ? 1 : 0, paused_at: pausedAtMs };
}
