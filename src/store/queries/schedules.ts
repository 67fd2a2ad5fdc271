import { sql } from 'kysely';
import { newRuns, type RecipeRuns } from '../../jobs/recipe.ts';
import type { Schedule } from '../../jobs/schedule/moments.ts';
import { Table } from './table.ts';

/** `name`: of a recipe, or the digest. */
type ScheduleKey = Readonly<{ teamId: string; name: string }>;

/** Clocks differ less: a later time was written by a wrong one. */
const CLOCKS_DIFFER_MAX_MS = 3_600_000;

export class Schedules extends Table {
  /** A new or changed schedule begins now. Returns until when it is served. */
  async follow({ teamId, name }: ScheduleKey, { cron, zone }: Schedule, nowMs: number): Promise<number> {
    const schedule = `${cron} ${zone}`;
    await this.upsert('schedule', { teamId, name }, { schedule, servedUntil: nowMs }, { name });
    const row = await this.locked({ teamId, name });
    const served = row?.servedUntil ?? nowMs;
    if (row?.schedule === schedule && !isWrong(served, nowMs)) return served;
    // Never back: a time served by a replica whose clock is ahead would come again.
    const servedUntil = isWrong(served, nowMs) ? nowMs : Math.max(served, nowMs);
    await this.update('schedule', { teamId, name }, { schedule, servedUntil });
    return servedUntil;
  }

  /** The others have left the settings. Replicas with older settings still serve them. */
  async leaveAllBut(teamId: string, names: readonly string[]): Promise<void> {
    await this.db
      .updateTable('schedule')
      .set({ schedule: null })
      .where('teamId', '=', teamId)
      .where('schedule', 'is not', null)
      .$if(names.length > 0, (query) => query.where('name', 'not in', names))
      .execute();
  }

  /** Unchanged until the commit. Null: unknown. A time served by a clock that was ahead counts as now. */
  async servedUntilMs({ teamId, name }: ScheduleKey, nowMs: number): Promise<number | null> {
    const served = (await this.locked({ teamId, name }))?.servedUntil ?? null;
    if (served === null || !isWrong(served, nowMs)) return served;
    await this.update('schedule', { teamId, name }, { servedUntil: nowMs });
    return nowMs;
  }

  /** Unless it has begun again meanwhile. */
  async serve({ teamId, name }: ScheduleKey, untilMs: number): Promise<void> {
    await this.update('schedule', { teamId, name }, { servedUntil: untilMs }, sql`served_until < ${untilMs}`);
  }

  private locked(key: ScheduleKey) {
    return this.rows('schedule', key).forUpdate().executeTakeFirst();
  }
}

function isWrong(servedUntilMs: number, nowMs: number): boolean {
  return servedUntilMs > nowMs + CLOCKS_DIFFER_MAX_MS;
}

/** A row stays when its recipe is removed from the settings. */
export class Recipes extends Table {
  /** Until the commit, nobody else starts it: its last job stays the last. */
  async lockStarts({ teamId, name }: ScheduleKey): Promise<void> {
    await this.takeLock(`recipe:${teamId}:${name}`);
  }

  async get({ teamId, name }: ScheduleKey): Promise<RecipeRuns> {
    const row = await this.row('recipe', { teamId, name });
    if (row === undefined) return newRuns;
    const { jobId, failures, hasFailed, pausedAt: pausedAtMs } = row;
    return { jobId, failures, hasFailed: hasFailed === 1, pausedAtMs };
  }

  /** Until the commit. Its last job, if needed, must be locked first. */
  async lock({ teamId, name }: ScheduleKey): Promise<RecipeRuns> {
    await this.upsert('recipe', { teamId, name }, columnsOf(newRuns), { name });
    return this.get({ teamId, name });
  }

  async put({ teamId, name }: ScheduleKey, runs: RecipeRuns): Promise<void> {
    await this.update('recipe', { teamId, name }, columnsOf(runs));
  }
}

function columnsOf({ jobId, failures, hasFailed, pausedAtMs }: RecipeRuns) {
  return { jobId, failures, hasFailed: hasFailed ? 1 : 0, pausedAt: pausedAtMs };
}
