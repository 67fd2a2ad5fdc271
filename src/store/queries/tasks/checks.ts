import { type RawBuilder, sql } from 'kysely';
import type { Job } from '../../../jobs/job.ts';
import type { ChannelSettings } from '../../../jobs/policy.ts';
import { jobFromJson, settingsFromJson } from '../../schema/json.ts';
import type { Queries } from '../../schema/tables.ts';
import { isUnsent } from '../follow-ups.ts';
import { prepared, preparedForMany, type Values } from '../prepared.ts';
import { type Lease, taskId } from './task.ts';
import { groupOfTask } from './task-group.ts';
import type { Tasks } from './tasks.ts';

/** The checks of a job: while it is open, and when it has ended. */
const CHECKS = ['check_job', 'check_ended_job'] as const;
export type CheckKind = (typeof CHECKS)[number];

const CARD_TASK = taskId('refresh_card', '');

export interface WatchedJob {
  readonly job: Job;
  /** What administrators saved for the job's channel. */
  readonly saved: ChannelSettings | null;
  /** Whether replies are still to be sent, or of unknown fate. */
  readonly hasUnsent: boolean;
  /** Whether the card is to be refreshed anyway. */
  readonly isCardPlanned: boolean;
}

export interface UnchangedCheck {
  readonly kind: CheckKind;
  readonly lease: Lease;
  readonly nextCheckAtMs: number;
}

export interface CardRefresh {
  readonly jobId: string;
  readonly runAtMs: number;
}

const jobsToCheck = preparedForMany((db, jobs: readonly Values<{ id: string }>[]) =>
  db
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
    .select(({ exists, selectFrom }) =>
      exists(
        selectFrom('task').select('task.id').where('task.id', '=', sql<string>`${CARD_TASK} || job.id`),
      ).as('is_card_planned'),
    )
    .where(
      'job.id',
      'in',
      jobs.map(({ id }) => id),
    ),
);

const endUnchangedChecks = preparedForMany(
  (db, checks: readonly Values<Lease & { runAtMs: number }>[], { nowMs }: Values<{ nowMs: number }>) => {
    const rows = checks.map(
      ({ taskId, token, revision, runAtMs }) =>
        sql`(${taskId}, ${token}, cast(${revision} as bigint), cast(${runAtMs} as bigint))`,
    );
    const query: RawBuilder<{ id: string }> = sql`
      with done (id, token, revision, run_at) as (values ${sql.join(rows)})
      update task
      set run_at = done.run_at, last_run_at = ${nowMs}, lease_token = null, lease_until = null, attempts = 0,
        failing_since = null, failure = null
      from done
      where task.id = done.id and task.lease_token = done.token and task.revision = done.revision
      returning task.id`;
    return { compile: () => query.compile(db) };
  },
);

const lastRunAt = preparedForMany((db, tasks: readonly Values<{ id: string }>[]) =>
  db
    .selectFrom('task')
    .select('last_run_at')
    .where(
      'id',
      'in',
      tasks.map(({ id }) => id),
    )
    .where('last_run_at', 'is not', null)
    .$narrowType<{ last_run_at: number }>(),
);

const laterChecks = prepared((db, { atMs, limit }: Values<{ atMs: number; limit: number }>) =>
  db
    .selectFrom('task')
    .select('subject')
    .where('kind', '=', 'check_job')
    .where('run_at', '>', atMs)
    .where('lease_token', 'is', null)
    .where('failing_since', 'is', null)
    .orderBy('run_at')
    .limit(limit),
);

/** The checks of jobs, many at a time: most of them find nothing new, and then only the next check is written. */
export class Checks {
  private readonly db: Queries;
  private readonly tasks: Tasks;

  constructor(db: Queries, tasks: Tasks) {
    this.db = db;
    this.tasks = tasks;
  }

  /** By their ids; what is not there is missing. Nothing is locked. */
  async read(jobIds: readonly string[]): Promise<ReadonlyMap<string, WatchedJob>> {
    const jobs = jobIds.map((id) => ({ id }));
    const rows = await jobsToCheck.rows(this.db, jobs, {});
    return new Map(
      rows.map(({ id, data, saved, has_unsent, is_card_planned }) => [
        id,
        {
          job: jobFromJson(data),
          saved: saved === null ? null : settingsFromJson(saved),
          hasUnsent: Boolean(has_unsent),
          isCardPlanned: Boolean(is_card_planned),
        },
      ]),
    );
  }

  /**
   * Ends tasks of which nothing follows but the next check, as far as the leases are held and the check was not
   * scheduled again. Returns the ids of the tasks that were ended; the others are as they were.
   */
  async endUnchanged(checks: readonly UnchangedCheck[], nowMs: number): Promise<ReadonlySet<string>> {
    const held = checks.map(({ lease, nextCheckAtMs }) => ({ ...lease, runAtMs: nextCheckAtMs }));
    const ended = await endUnchangedChecks.rows(this.db, held, { nowMs });
    for (const { kind, nextCheckAtMs } of checks) this.tasks.noteScheduled(kind, nextCheckAtMs);
    return new Set(ended.map(({ id }) => id));
  }

  /** Up to so many jobs whose next check is later, does not fail, and has no lease; the nearest first. */
  async plannedAfter(atMs: number, limit: number): Promise<readonly string[]> {
    const rows = await laterChecks.rows(this.db, { atMs, limit });
    return rows.map(({ subject }) => subject);
  }

  /** Plans to refresh the cards of these jobs, where that is not planned already. */
  async refreshCards(cards: readonly CardRefresh[]): Promise<void> {
    await this.db
      .insertInto('task')
      .values(
        cards.map(({ jobId, runAtMs }) => ({
          id: taskId('refresh_card', jobId),
          kind: 'refresh_card' as const,
          subject: jobId,
          run_at: runAtMs,
          attempts: 0,
          revision: 1,
          group_key: groupOfTask('refresh_card', jobId),
        })),
      )
      .onConflict((conflict) => conflict.column('id').doNothing())
      .execute();
  }

  /** The job as it is shown: checks that found nothing new are not written to the job itself. */
  async withLastCheck(job: Job): Promise<Job> {
    const unchangedMs = await this.lastUnchangedMs(job.id);
    return unchangedMs === null || unchangedMs <= (job.checkedAtMs ?? 0)
      ? job
      : { ...job, checkedAtMs: unchangedMs };
  }

  private async lastUnchangedMs(jobId: string): Promise<number | null> {
    const ids = CHECKS.map((kind) => ({ id: taskId(kind, jobId) }));
    const tasks = await lastRunAt.rows(this.db, ids, {});
    return tasks.reduce((last: number | null, task) => Math.max(last ?? 0, task.last_run_at), null);
  }
}
