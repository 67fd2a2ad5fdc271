import { type SqlBool, sql } from 'kysely';
import { newRuns, type RecipeRuns } from '#jobs/recipe.ts';
import type { Schedule } from '#jobs/schedule/moments.ts';
import { Table } from './table.ts';

type ScheduleKey = Readonly<{ teamId: string; name: string }>;

/** Clocks differ less. */
const CLOCKS_DIFFER_MAX_MS = 3_600_000;

export class Schedules extends Table {
  async follow(key: ScheduleKey, { cron, zone }: Schedule, nowMs: number): Promise<number> {
    const schedule = `${cron} ${zone}`;
    await this.upsert('schedule', key, { schedule, servedUntil: nowMs }, { name: key.name });
    const served = (await this.servedUntilMs(key, nowMs)) ?? nowMs;
    // Never earlier: a time served by a replica whose clock is ahead would recur.
    const servedUntil = Math.max(served, nowMs);
    const isOther = sql<SqlBool>`schedule is distinct from ${schedule}`;
    return (await this.update('schedule', key, { schedule, servedUntil }, isOther)) ? servedUntil : served;
  }

  /** Replicas with older settings still serve the others. */
  async leaveAllBut(teamId: string, names: readonly string[]): Promise<void> {
    await this.db
      .updateTable('schedule')
      .set({ schedule: null })
      .where('teamId', '=', teamId)
      .where('schedule', 'is not', null)
      .$if(names.length > 0, (query) => query.where('name', 'not in', names))
      .execute();
  }

  /** Locked until commit. A time from a clock that was ahead counts as now. */
  async servedUntilMs(key: ScheduleKey, nowMs: number): Promise<number | null> {
    const row = await this.rows('schedule', key).forUpdate().executeTakeFirst();
    if (row === undefined || row.servedUntil <= nowMs + CLOCKS_DIFFER_MAX_MS) return row?.servedUntil ?? null;
    await this.update('schedule', key, { servedUntil: nowMs });
    return nowMs;
  }

  /** Never moves the time back. */
  async serve(key: ScheduleKey, untilMs: number): Promise<void> {
    await this.update('schedule', key, { servedUntil: untilMs }, sql`served_until < ${untilMs}`);
  }
}

export class Recipes extends Table {
  async lockStarts({ teamId, name }: ScheduleKey): Promise<void> {
    await this.tasks.takeLock(`recipe:${teamId}:${name}`);
  }

  async get(key: ScheduleKey): Promise<RecipeRuns> {
    const row = await this.row('recipe', key);
    if (row === undefined) return newRuns;
    const { jobId, failures, hasFailed, pausedAt: pausedAtMs } = row;
    return { jobId, failures, hasFailed: hasFailed === 1, pausedAtMs };
  }

  /** Locks until commit. If its last job is needed, lock that first. */
  async lock(key: ScheduleKey): Promise<RecipeRuns> {
    await this.upsert('recipe', key, columnsOf(newRuns), { name: key.name });
    return this.get(key);
  }

  async put(key: ScheduleKey, runs: RecipeRuns): Promise<void> {
    await this.update('recipe', key, columnsOf(runs));
  }
}

function columnsOf({ jobId, failures, hasFailed, pausedAtMs }: RecipeRuns) {
  return { jobId, failures, hasFailed: hasFailed ? 1 : 0, pausedAt: pausedAtMs };
}
