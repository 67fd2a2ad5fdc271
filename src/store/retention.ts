import { type SqlBool, sql } from 'kysely';
import { dueStates } from '../jobs/follow-ups/follow-up.ts';
import { overStages } from '../jobs/job.ts';
import { laneTaskKinds } from '../jobs/task-kinds.ts';
import { keepNotices } from './queries/calls/calls.ts';
import { forgetOldEarlyReplies } from './queries/inbound/early-replies.ts';
import { HOOK_ANSWERS_KEPT_MS } from './queries/inbound/inbound-requests.ts';
import type { Thread } from './queries/jobs.ts';
import { idsOf } from './queries/prepared.ts';
import { deleteUnused, namesOfJobs } from './queries/pull-requests.ts';
import { type Place, readPage, Table } from './queries/table.ts';
import type { Queries, Tables } from './schema/tables.ts';

/**
 * Worded as in the index `job_over`; without `|| ''`, SQLite takes the index of stages and walks through all ended
 * jobs.
 */
const IS_OVER = sql<SqlBool>`(stage || '') in (${sql.join(overStages.map((stage) => sql.lit(stage)))})`;

/** What is too old to keep. All times are exclusive. */
export type Limits = Readonly<{
  jobsBeforeMs: number;
  inboundRequestsBeforeMs: number;
  homesBeforeMs: number;
}>;

/** Deletes what is old, in small batches. Several processes may do so at the same time. */
export class Retention extends Table {
  /** Deletes up to `limit` jobs with no activity since the limit and nothing left to do. `next`: null at the end. */
  async pruneJobs(
    { jobsBeforeMs }: Limits,
    after: Place | null,
    limit: number,
    nowMs: number,
  ): Promise<{ readonly pruned: number; readonly next: Place | null }> {
    const free = this.old(jobsBeforeMs).forUpdate().skipLocked();
    const { rows: found, next } = await readPage(free, ['requestedAt', 'id'], 0, after, limit);
    // Checked again under the locks: something may have arrived before they were taken.
    const over =
      found.length === 0 ? [] : await this.old(jobsBeforeMs).where('id', 'in', idsOf(found)).execute();
    await deleteJobs(this.db, idsOf(over), nowMs);
    return { pruned: over.length, next };
  }

  /**
   * Deletes up to `limit` each of inbound requests, answers of webhooks, homes, past threads and lines of the audit.
   * Returns the largest count.
   */
  async pruneTraces(limits: Limits, limit: number, nowMs: number): Promise<number> {
    await forgetOldEarlyReplies(this.db, nowMs);
    const counts = [
      await this.pruneRows('inboundRequest', ['key'], 'at', limits.inboundRequestsBeforeMs, limit),
      await this.pruneRows('hookAnswer', ['key'], 'at', nowMs - HOOK_ANSWERS_KEPT_MS, limit),
      await this.pruneRows('home', ['teamId', 'userId'], 'openedAt', limits.homesBeforeMs, limit),
      await this.pruneRows(
        'pastThread',
        ['teamId', 'channelId', 'threadTs'],
        'at',
        limits.jobsBeforeMs,
        limit,
      ),
      await this.pruneAudit(limits.jobsBeforeMs, limit),
    ];
    return Math.max(...counts);
  }

  /** Up to `limit`, and those of the same millisecond. */
  private async pruneAudit(beforeMs: number, limit: number): Promise<number> {
    const oldest = this.db
      .selectFrom('auditEntry')
      .select('at')
      .where('at', '<', beforeMs)
      .orderBy('at')
      .limit(limit)
      .as('oldest');
    const { numDeletedRows } = await this.db
      .deleteFrom('auditEntry')
      .where('at', '<=', (eb) => eb.selectFrom(oldest).select((of) => of.fn.max('at').as('at')))
      .executeTakeFirst();
    return Number(numDeletedRows);
  }

  private async pruneRows(
    table: keyof Tables,
    key: readonly string[],
    at: string,
    beforeMs: number,
    limit: number,
  ): Promise<number> {
    const rows = await this.db
      .selectFrom(sql<Record<string, string>>`${sql.table(table)}`.as(table))
      .select(key.map((name) => sql.ref<string>(name).as(name)))
      .where(sql.ref(at), '<', beforeMs)
      .limit(limit)
      .forUpdate()
      .skipLocked()
      .execute();
    if (rows.length === 0) return 0;
    const columns = sql.join(key.map((name) => sql.ref(name)));
    const keys = rows.map((row) => sql`(${sql.join(key.map((name) => row[name]))})`);
    await sql`delete from ${sql.table(table)} where (${columns}) in (values ${sql.join(keys)})`.execute(
      this.db,
    );
    return rows.length;
  }

  async isPast({ teamId, channelId, threadTs }: Thread): Promise<boolean> {
    return (await this.row('pastThread', { teamId, channelId, threadTs })) !== undefined;
  }

  /**
   * Jobs that are over, without activity since then and without tasks. A lane's task finds nothing to do without an
   * open call.
   */
  private old(beforeMs: number) {
    return this.db
      .selectFrom('job')
      .select(['id', 'requestedAt'])
      .where('requestedAt', '<', beforeMs)
      .where(IS_OVER)
      .where(sql<SqlBool>`
        not exists (
          select 1 from call where call.job_id = job.id and (ended_at is null or ended_at >= ${beforeMs})
        ) and not exists (
          select 1 from follow_up
          where follow_up.job_id = job.id and (received_at >= ${beforeMs} or state in (${sql.join(dueStates)}))
        ) and not exists (
          select 1 from task where task.job_id = job.id and kind not in (${sql.join(Object.values(laneTaskKinds))})
        )`);
  }
}

/** Deletes jobs with everything that belongs to them, but remembers their threads and announced pull requests. */
export async function deleteJobs(db: Queries, jobIds: readonly string[], nowMs: number): Promise<void> {
  if (jobIds.length === 0) return;
  await keepNotices(db, jobIds);
  const pullRequests = await namesOfJobs(db, jobIds);
  const jobs = await db
    .deleteFrom('job')
    .where('id', 'in', jobIds)
    .returning(['teamId', 'channelId', 'threadTs'])
    .execute();
  await deleteUnused(db, pullRequests);
  const threads = jobs.flatMap(({ threadTs, ...place }) =>
    threadTs === null ? [] : [{ ...place, threadTs, at: nowMs }],
  );
  if (threads.length === 0) return;
  await db
    .insertInto('pastThread')
    .values(threads)
    .onConflict((conflict) =>
      conflict.columns(['teamId', 'channelId', 'threadTs']).doUpdateSet({ at: nowMs }),
    )
    .execute();
}
