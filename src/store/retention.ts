import { type SqlBool, sql } from 'kysely';
import { dueStates } from '../jobs/follow-up.ts';
import { overStages } from '../jobs/stages.ts';
import { keepNotices } from './queries/calls/past-notices.ts';
import { forgetOldEarlyReplies } from './queries/early-replies.ts';
import type { Thread } from './queries/jobs.ts';
import { taskId } from './queries/tasks/task.ts';
import type { Queries } from './schema/tables.ts';

/**
 * In the words of the index `job_over`; without the `|| ''`, SQLite takes the index of all stages, and walks through
 * all jobs that are over.
 */
const IS_OVER = sql<SqlBool>`(stage || '') in (${sql.join(overStages.map((stage) => sql.lit(stage)))})`;
const JOB_TASKS = [
  'check_job',
  'check_ended_job',
  'send_follow_ups',
  'refresh_card',
  'refresh_receipts',
  'read_snippets',
] as const;

/** What is too old to be kept. All times are exclusive, in milliseconds since 1970. */
export interface Limits {
  readonly jobsBeforeMs: number;
  readonly inboundRequestsBeforeMs: number;
  readonly homesBeforeMs: number;
}

/** Where to go on: a job's place in time. */
export interface JobPlace {
  readonly requestedAtMs: number;
  readonly jobId: string;
}

/** Deletes what is over and old, a little at a time. Several processes may do it at the same time. */
export class Retention {
  private readonly db: Queries;

  constructor(db: Queries) {
    this.db = db;
  }

  /**
   * Deletes, of the next `limit` jobs that are over and were last heard of before, those for which nothing is to be
   * done, with all that belongs to them. `next`: null when there is none left.
   */
  async pruneJobs(
    { jobsBeforeMs }: Limits,
    after: JobPlace | null,
    limit: number,
    nowMs: number,
  ): Promise<{ readonly pruned: number; readonly next: JobPlace | null }> {
    const found = await this.old(jobsBeforeMs)
      .$if(after !== null, (query) =>
        query.where((eb) =>
          eb(eb.refTuple('requested_at', 'id'), '>', eb.tuple(after?.requestedAtMs ?? 0, after?.jobId ?? '')),
        ),
      )
      .orderBy('requested_at')
      .orderBy('id')
      .limit(limit)
      .forUpdate()
      .skipLocked()
      .execute();
    const last = found.length < limit ? undefined : found.at(-1);
    const next = last === undefined ? null : { requestedAtMs: last.requested_at, jobId: last.id };
    const waitedFor = await this.waitedFor(found.map(({ id }) => id));
    const ids = found.map(({ id }) => id).filter((id) => !waitedFor.has(id));
    // Once more, now that nobody else can change them: what came in until they were locked counts.
    const over = ids.length === 0 ? [] : await this.old(jobsBeforeMs).where('id', 'in', ids).execute();
    await deleteJobs(
      this.db,
      over.map(({ id }) => id),
      nowMs,
    );
    return { pruned: over.length, next };
  }

  /** Deletes up to `limit` of each: inbound requests, homes and past threads. Returns how many. */
  async pruneTraces(limits: Limits, limit: number, nowMs: number): Promise<number> {
    await forgetOldEarlyReplies(this.db, nowMs);
    const requests = this.db
      .selectFrom('gesture')
      .select('key')
      .where('at', '<', limits.inboundRequestsBeforeMs);
    const homes = this.db
      .selectFrom('home')
      .select(['team_id', 'user_id'])
      .where('opened_at', '<', limits.homesBeforeMs);
    const threads = this.db
      .selectFrom('past_thread')
      .select(['team_id', 'channel_id', 'thread_ts'])
      .where('at', '<', limits.jobsBeforeMs);
    const oldRequests = await requests.limit(limit).forUpdate().skipLocked().execute();
    const oldHomes = await homes.limit(limit).forUpdate().skipLocked().execute();
    const oldThreads = await threads.limit(limit).forUpdate().skipLocked().execute();
    await this.db
      .deleteFrom('gesture')
      .where(
        'key',
        'in',
        oldRequests.map(({ key }) => key),
      )
      .execute();
    for (const home of oldHomes) {
      await this.db
        .deleteFrom('home')
        .where((eb) => eb.and(home))
        .execute();
    }
    for (const thread of oldThreads) {
      await this.db
        .deleteFrom('past_thread')
        .where((eb) => eb.and(thread))
        .execute();
    }
    return Math.max(oldRequests.length, oldHomes.length, oldThreads.length);
  }

  /** Whether this was the thread of a job that was deleted. */
  async isPast({ teamId, channelId, threadTs }: Thread): Promise<boolean> {
    const row = await this.db
      .selectFrom('past_thread')
      .select('at')
      .where('team_id', '=', teamId)
      .where('channel_id', '=', channelId)
      .where('thread_ts', '=', threadTs)
      .executeTakeFirst();
    return row !== undefined;
  }

  /** Jobs that are over, and of which nothing was heard since then. */
  private old(beforeMs: number) {
    return this.db
      .selectFrom('job')
      .select(['id', 'requested_at'])
      .where('requested_at', '<', beforeMs)
      .where(IS_OVER)
      .where((eb) =>
        eb.not(
          eb.exists(
            eb
              .selectFrom('call')
              .select('call.id')
              .whereRef('call.job_id', '=', 'job.id')
              .where((call) => call.or([call('ended_at', 'is', null), call('ended_at', '>=', beforeMs)])),
          ),
        ),
      )
      .where((eb) =>
        eb.not(
          eb.exists(
            eb
              .selectFrom('follow_up')
              .select('follow_up.id')
              .whereRef('follow_up.job_id', '=', 'job.id')
              .where((reply) =>
                reply.or([reply('received_at', '>=', beforeMs), reply('state', 'in', dueStates)]),
              ),
          ),
        ),
      );
  }

  /** Those of the jobs for which a task is still to be done. */
  private async waitedFor(jobIds: readonly string[]): Promise<ReadonlySet<string>> {
    const tasks = await this.db
      .selectFrom('task')
      .select('subject')
      .where('id', 'in', taskIds(jobIds))
      .execute();
    return new Set(tasks.map(({ subject }) => subject));
  }
}

/** The tasks that a job may have, by their ids. */
export function taskIds(jobIds: readonly string[]): string[] {
  return jobIds.flatMap((id) => JOB_TASKS.map((kind) => taskId(kind, id)));
}

/** Deletes jobs with their replies and calls. That their threads had a job is kept, and what they announced where. */
export async function deleteJobs(db: Queries, jobIds: readonly string[], nowMs: number): Promise<void> {
  if (jobIds.length === 0) return;
  await keepNotices(db, jobIds);
  await db.deleteFrom('follow_up').where('job_id', 'in', jobIds).execute();
  await db.deleteFrom('call').where('job_id', 'in', jobIds).execute();
  await db.deleteFrom('budget_queue').where('job_id', 'in', jobIds).execute();
  await db.deleteFrom('catch_up').where('job_id', 'in', jobIds).execute();
  const jobs = await db
    .deleteFrom('job')
    .where('id', 'in', jobIds)
    .returning(['team_id', 'channel_id', 'thread_ts'])
    .execute();
  const threads = jobs.flatMap(({ thread_ts, ...place }) =>
    thread_ts === null ? [] : [{ ...place, thread_ts, at: nowMs }],
  );
  if (threads.length === 0) return;
  await db
    .insertInto('past_thread')
    .values(threads)
    .onConflict((conflict) =>
      conflict.columns(['team_id', 'channel_id', 'thread_ts']).doUpdateSet({ at: nowMs }),
    )
    .execute();
}
