import { newRuns, type RecipeRuns } from '../../jobs/recipes/runs.ts';
import type { Schedule } from '../../jobs/schedule/moments.ts';
import { Table } from '../schema/tables.ts';

/** A recipe of a workspace. */
export interface RecipeKey {
  readonly teamId: string;
  readonly name: string;
}

const SEPARATOR = ':';

/** The subject of its task. */
export function recipeSubject({ teamId, name }: RecipeKey): string {
  return teamId + SEPARATOR + name;
}

export function recipeOfSubject(subject: string): RecipeKey {
  const [teamId = '', name = ''] = subject.split(SEPARATOR);
  return { teamId, name };
}

/** What has become of recipes. A row stays when its recipe is removed from the settings. */
export class Recipes extends Table {
  /** Null: it has never been started, and has no schedule. Not locked. */
  async get(key: RecipeKey): Promise<RecipeRuns | null> {
    const row = await this.row(key);
    return row === undefined
      ? null
      : {
          servedUntilMs: row.served_until,
          jobId: row.job_id,
          failures: row.failures,
          hasFailed: row.has_failed === 1,
          pausedAtMs: row.paused_at,
        };
  }

  /** Locked until the commit; it begins now if there is nothing of it yet. */
  async lock(key: RecipeKey, nowMs: number): Promise<RecipeRuns> {
    const { teamId: team_id, name } = key;
    await this.db
      .insertInto('recipe')
      .values({ team_id, name, ...columnsOf(newRuns(nowMs)) })
      .onConflict((conflict) => conflict.columns(['team_id', 'name']).doUpdateSet({ name }))
      .execute();
    return (await this.get(key)) ?? newRuns(nowMs);
  }

  async put({ teamId, name }: RecipeKey, runs: RecipeRuns): Promise<void> {
    await this.db
      .updateTable('recipe')
      .set(columnsOf(runs))
      .where((eb) => eb.and({ team_id: teamId, name }))
      .execute();
  }

  /** Takes note of its schedule. One that is new begins now. Locked likewise; returns until when it is served. */
  async follow(key: RecipeKey, { cron, zone }: Schedule, nowMs: number): Promise<number> {
    const runs = await this.lock(key, nowMs);
    const row = await this.row(key);
    const schedule = `${cron} ${zone}`;
    if (row?.schedule === schedule) return runs.servedUntilMs;
    await this.db
      .updateTable('recipe')
      .set({ schedule, served_until: nowMs })
      .where((eb) => eb.and({ team_id: key.teamId, name: key.name }))
      .execute();
    return nowMs;
  }

  private row({ teamId, name }: RecipeKey) {
    return this.db
      .selectFrom('recipe')
      .selectAll()
      .where((eb) => eb.and({ team_id: teamId, name }))
      .executeTakeFirst();
  }
}

function columnsOf({ servedUntilMs, jobId, failures, hasFailed, pausedAtMs }: RecipeRuns) {
  return {
    served_until: servedUntilMs,
    job_id: jobId,
    failures,
    has_failed: hasFailed ? 1 : 0,
    paused_at: pausedAtMs,
  };
}
