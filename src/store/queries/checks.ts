import { sql } from 'kysely';
import type { ChannelSettings } from '../../jobs/channel-settings.ts';
import type { Job } from '../../jobs/job.ts';
import { jobFromJson, settingsFromJson } from '../schema/json.ts';
import type { Queries } from '../schema/tables.ts';
import type { Lease } from '../store.ts';
import { isUnsent } from './follow-ups.ts';

/** The checks of jobs, many at a time: most of them find nothing new, and then only the next check is written. */
export interface Checks {
  /** By their ids; what is not there is missing. Nothing is locked. */
  read(jobIds: readonly string[]): Promise<ReadonlyMap<string, WatchedJob>>;
  /**
   * Ends tasks of which nothing follows but the next check, as far as the leases are held and nobody has scheduled
   * the check again. Returns the ids of the tasks that were ended; the others are as they were.
   */
  putOff(checks: readonly QuietCheck[], nowMs: number): Promise<ReadonlySet<string>>;
  /** Plans to refresh the cards of these jobs, where that is not planned already. */
  refreshCards(cards: readonly { readonly jobId: string; readonly runAtMs: number }[]): Promise<void>;
  /** When a check of the job last found nothing new, or null. See `last-check.ts`. */
  lastQuietMs(jobId: string): Promise<number | null>;
}

export interface WatchedJob {
  readonly job: Job;
  /** What administrators saved for the job's channel. */
  readonly saved: ChannelSettings | null;
  /** Whether replies are still to be sent, or of unknown fate. */
  readonly hasUnsent: boolean;
}

export interface QuietCheck {
  readonly lease: Lease;
  readonly nextCheckAtMs: number;
}

export class SqlChecks implements Checks {
  private readonly db: Queries;

  constructor(db: Queries) {
    this.db = db;
  }

  async read(jobIds: readonly string[]): Promise<ReadonlyMap<string, WatchedJob>> {
    const rows = await this.db
      .selectFrom('job')
      .leftJoin('channel_setting', (join) =>
        join
          .onRef('channel_setting.team_id', '=', 'job.team_id')
          .onRef('channel_setting.channel_id', '=', 'job.channel_id'),
      )
      .select(['job.id', 'job.data', 'channel_setting.data as saved'])
      .select(({ exists, selectFrom }) =>
        exists(
          selectFrom('follow_up')
            .select('follow_up.id')
            .whereRef('follow_up.job_id', '=', 'job.id')
            .where(isUnsent),
        ).as('has_unsent'),
      )
      .where('job.id', 'in', jobIds)
      .execute();
    return new Map(
      rows.map(({ id, data, saved, has_unsent }) => [
        id,
        {
          job: jobFromJson(data),
          saved: saved === null ? null : settingsFromJson(saved),
          hasUnsent: Boolean(has_unsent),
        },
      ]),
    );
  }

  async putOff(checks: readonly QuietCheck[], nowMs: number): Promise<ReadonlySet<string>> {
    const rows = checks.map(
      ({ lease: { taskId, token, revision }, nextCheckAtMs }) =>
        sql`(${taskId}, ${token}, cast(${revision} as bigint), cast(${nextCheckAtMs} as bigint))`,
    );
    const { rows: ended } = await sql<{ id: string }>`
      with done (id, token, revision, run_at) as (values ${sql.join(rows)})
      update task
      set run_at = done.run_at, last_run_at = ${nowMs}, lease_token = null, lease_until = null, attempts = 0
      from done
      where task.id = done.id and task.lease_token = done.token and task.revision = done.revision
      returning task.id`.execute(this.db);
    return new Set(ended.map(({ id }) => id));
  }

  async refreshCards(cards: readonly { readonly jobId: string; readonly runAtMs: number }[]): Promise<void> {
    await this.db
      .insertInto('task')
      .values(
        cards.map(({ jobId, runAtMs }) => ({
          id: `refresh_card:${jobId}`,
          kind: 'refresh_card' as const,
          subject: jobId,
          run_at: runAtMs,
          attempts: 0,
          revision: 1,
        })),
      )
      .onConflict((conflict) => conflict.column('id').doNothing())
      .execute();
  }

  async lastQuietMs(jobId: string): Promise<number | null> {
    const task = this.db.selectFrom('task').select('last_run_at').where('id', '=', `check_job:${jobId}`);
    return (await task.executeTakeFirst())?.last_run_at ?? null;
  }
}
