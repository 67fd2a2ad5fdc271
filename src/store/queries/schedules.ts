import { newRuns, type RecipeRuns } from '../../jobs/recipe.ts';
import type { Schedule } from '../../jobs/schedule/moments.ts';
import { Table } from './table.ts';

/** Happens in a workspace on a schedule: a recipe, by its name, or the digest. */
export interface ScheduleKey {
  readonly teamId: string;
  readonly name: string;
}

const SEPARATOR = ':';

/** The subject of its task. */
export function scheduleSubject({ teamId, name }: ScheduleKey): string {
  return teamId + SEPARATOR + name;
}

export function scheduleOfSubject(subject: string): ScheduleKey {
  const [teamId = '', name = ''] = subject.split(SEPARATOR);
  return { teamId, name };
}

/** No two clocks differ this much, so such a time was written by a wrong one. */
const CLOCKS_DIFFER_MAX_MS = 3_600_000;

/** Until when schedules are served: of later times, the last one counts. */
export class Schedules extends Table {
  /** Records a schedule. A new or changed one begins now. Returns until when it is served. */
  async follow(key: ScheduleKey, { cron, zone }: Schedule, nowMs: number): Promise<number> {
    const schedule = `${cron} ${zone}`;
    await this.db
      .insertInto('schedule')
      .values({ team_id: key.teamId, name: key.name, schedule, served_until: nowMs })
      .onConflict((conflict) => conflict.columns(['team_id', 'name']).doUpdateSet({ name: key.name }))
      .execute();
    const row = await this.row(key);
    const served = row?.served_until ?? nowMs;
    if (row?.schedule === schedule && !isWrong(served, nowMs)) return served;
    // Never back: a time served by a replica whose clock is ahead would come again.
    const servedUntilMs = isWrong(served, nowMs) ? nowMs : Math.max(served, nowMs);
    await this.db
      .updateTable('schedule')
      .set({ schedule, served_until: servedUntilMs })
      .where((eb) => eb.and({ team_id: key.teamId, name: key.name }))
      .execute();
    return servedUntilMs;
  }

  /**
   * Forgets those of a workspace that left its settings: if they come back, they begin anew. Until then,
   * replicas with older settings still serve them.
   */
  async leaveAllBut(teamId: string, names: readonly string[]): Promise<void> {
    await this.db
      .updateTable('schedule')
      .set({ schedule: null })
      .where('team_id', '=', teamId)
      .where('schedule', 'is not', null)
      .$if(names.length > 0, (query) => query.where('name', 'not in', names))
      .execute();
  }

  /**
   * Until when it is served, which stays so until the commit; null: unknown. A time served by a clock that
   * was ahead counts as served until now.
   */
  async servedUntilMs(key: ScheduleKey, nowMs: number): Promise<number | null> {
    const served = (await this.row(key))?.served_until ?? null;
    if (served === null || !isWrong(served, nowMs)) return served;
    await this.serveAgainFrom(key, nowMs);
    return nowMs;
  }

  /** Unless it changed meanwhile, and has begun anew. */
  async serve({ teamId, name }: ScheduleKey, untilMs: number): Promise<void> {
    await this.db
      .updateTable('schedule')
      .set({ served_until: untilMs })
      .where((eb) => eb.and({ team_id: teamId, name }))
      .where('served_until', '<', untilMs)
      .execute();
  }

  private async serveAgainFrom({ teamId, name }: ScheduleKey, nowMs: number): Promise<void> {
    await this.db
      .updateTable('schedule')
      .set({ served_until: nowMs })
      .where((eb) => eb.and({ team_id: teamId, name }))
      .execute();
  }

  private row({ teamId, name }: ScheduleKey) {
    return this.db
      .selectFrom('schedule')
      .selectAll()
      .where((eb) => eb.and({ team_id: teamId, name }))
      .forUpdate()
      .executeTakeFirst();
  }
}

function isWrong(servedUntilMs: number, nowMs: number): boolean {
  return servedUntilMs > nowMs + CLOCKS_DIFFER_MAX_MS;
}

/** A recipe of a workspace. */
export type RecipeKey = ScheduleKey;

/** The runs of recipes. A row stays when its recipe is removed from the settings. */
export class Recipes extends Table {
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

  /** Locked until the commit. Its last job, if needed, must be locked first. */
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
