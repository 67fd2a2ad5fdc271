import { newRuns, type RecipeRuns } from '../../jobs/recipe.ts';
import type { Schedule } from '../../jobs/schedule/moments.ts';
import { Table } from './table.ts';

/** Happens in a workspace on a schedule: a recipe, by its name, or the digest. */
export type ScheduleKey = Readonly<{
  teamId: string;
  name: string;
}>;

/** No two clocks differ this much, so such a time was written by a wrong one. */
const CLOCKS_DIFFER_MAX_MS = 3_600_000;

/** Until when schedules are served: of later times, the last one counts. */
export class Schedules extends Table {
  /** Records a schedule. A new or changed one begins now. Returns until when it is served. */
  async follow({ teamId, name }: ScheduleKey, { cron, zone }: Schedule, nowMs: number): Promise<number> {
    const schedule = `${cron} ${zone}`;
    await this.upsert('schedule', { teamId, name }, { schedule, servedUntil: nowMs }, { name });
    const row = await this.locked({ teamId, name });
    const served = row?.servedUntil ?? nowMs;
    if (row?.schedule === schedule && !isWrong(served, nowMs)) return served;
    // Never back: a time served by a replica whose clock is ahead would come again.
    const servedUntilMs = isWrong(served, nowMs) ? nowMs : Math.max(served, nowMs);
    await this.change({ teamId, name }).set({ schedule, servedUntil: servedUntilMs }).execute();
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
      .where('teamId', '=', teamId)
      .where('schedule', 'is not', null)
      .$if(names.length > 0, (query) => query.where('name', 'not in', names))
      .execute();
  }

  /**
   * Until when it is served, which stays so until the commit; null: unknown. A time served by a clock that
   * was ahead counts as served until now.
   */
  async servedUntilMs(key: ScheduleKey, nowMs: number): Promise<number | null> {
    const served = (await this.locked(key))?.servedUntil ?? null;
    if (served === null || !isWrong(served, nowMs)) return served;
    await this.change(key).set({ servedUntil: nowMs }).execute();
    return nowMs;
  }

  /** Unless it changed meanwhile, and has begun anew. */
  async serve(key: ScheduleKey, untilMs: number): Promise<void> {
    await this.change(key).set({ servedUntil: untilMs }).where('servedUntil', '<', untilMs).execute();
  }

  private change({ teamId, name }: ScheduleKey) {
    return this.db.updateTable('schedule').where((eb) => eb.and({ teamId, name }));
  }

  private locked({ teamId, name }: ScheduleKey) {
    return this.db
      .selectFrom('schedule')
      .selectAll()
      .where((eb) => eb.and({ teamId, name }))
      .forUpdate()
      .executeTakeFirst();
  }
}

function isWrong(servedUntilMs: number, nowMs: number): boolean {
  return servedUntilMs > nowMs + CLOCKS_DIFFER_MAX_MS;
}

/** The runs of recipes. A row stays when its recipe is removed from the settings. */
export class Recipes extends Table {
  /** Until the commit, nobody else starts it: its last job stays the last. */
  async lockStarts({ teamId, name }: ScheduleKey): Promise<void> {
    await this.takeAdvisoryLock(`recipe:${teamId}:${name}`);
  }

  /** Without a lock. */
  async get({ teamId, name }: ScheduleKey): Promise<RecipeRuns> {
    const row = await this.row('recipe', { teamId, name });
    if (row === undefined) return newRuns;
    const { jobId, failures, hasFailed, pausedAt: pausedAtMs } = row;
    return { jobId, failures, hasFailed: hasFailed === 1, pausedAtMs };
  }

  /** Locked until the commit. Its last job, if needed, must be locked first. */
  async lock(key: ScheduleKey): Promise<RecipeRuns> {
    const { teamId, name } = key;
    await this.upsert('recipe', { teamId, name }, columnsOf(newRuns), { name });
    return this.get(key);
  }

  async put({ teamId, name }: ScheduleKey, runs: RecipeRuns): Promise<void> {
    await this.db
      .updateTable('recipe')
      .set(columnsOf(runs))
      .where((eb) => eb.and({ teamId, name }))
      .execute();
  }
}

function columnsOf({ jobId, failures, hasFailed, pausedAtMs }: RecipeRuns) {
  return { jobId, failures, hasFailed: hasFailed ? 1 : 0, pausedAt: pausedAtMs };
}
