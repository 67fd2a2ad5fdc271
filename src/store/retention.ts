import { type SqlBool, sql } from 'kysely';
import { dueStates } from '#jobs/follow-ups/follow-up.ts';
import { overStages } from '#jobs/job.ts';
import { laneTaskKinds } from '#jobs/task-kinds.ts';
import { keepNotices } from './queries/calls.ts';
import { forgetOldEarlyReplies, HOOK_ANSWERS_KEPT_MS } from './queries/inbound.ts';
import type { Thread } from './queries/jobs.ts';
import { idsOf } from './queries/prepared.ts';
import { type Cursor, readPage, Table } from './queries/table.ts';
import { subjectIn, taskId } from './queries/task.ts';
import { literals, type Queries, type Tables } from './schema/tables.ts';

/**
 * Worded as in the index `job_over`. Without `|| ''`, SQLite uses the index of stages and scans all ended
 * jobs.
 */
const IS_OVER = sql<SqlBool>`(stage || '') in (${literals(overStages)})`;

type Limits = Readonly<{
  jobsBeforeMs: number;
  inboundRequestsBeforeMs: number;
  homesBeforeMs: number;
}>;

export class Retention extends Table {
  /** Deletes inactive jobs with nothing left to do. */
  async pruneJobs(
    { jobsBeforeMs }: Pick<Limits, 'jobsBeforeMs'>,
    after: Cursor | null,
    limit: number,
    nowMs: number,
  ): Promise<{ readonly pruned: number; readonly next: Cursor | null }> {
    const free = this.oldJobs(jobsBeforeMs).forUpdate().skipLocked();
    const { rows: found, next } = await readPage(free, ['requestedAt', 'id'], 0, after, limit);
    // Checked again under the locks: something may have arrived before them.
    const over = await this.oldJobs(jobsBeforeMs).where('id', 'in', idsOf(found)).execute();
    await deleteJobs(this.db, idsOf(over), nowMs);
    return { pruned: over.length, next };
  }

  async pruneTraces(limits: Limits, limit: number, nowMs: number): Promise<number> {
    const { jobsBeforeMs } = limits;
    await forgetOldEarlyReplies(this.db, nowMs);
    return Math.max(
      await this.pruneRows('inboundRequest', ['key'], 'at', limits.inboundRequestsBeforeMs, limit),
      await this.pruneRows('hookAnswer', ['key'], 'at', nowMs - HOOK_ANSWERS_KEPT_MS, limit),
      await this.pruneRows('home', ['teamId', 'userId'], 'openedAt', limits.homesBeforeMs, limit),
      await this.pruneRows('pastThread', ['teamId', 'channelId', 'threadTs'], 'at', jobsBeforeMs, limit),
      await this.pruneRows('auditEntry', ['id'], 'at', jobsBeforeMs, limit),
    );
  }

  async isPast({ teamId, channelId, threadTs }: Thread): Promise<boolean> {
    return (await this.row('pastThread', { teamId, channelId, threadTs })) !== undefined;
  }

  private async pruneRows(
    table: keyof Tables,
    key: readonly string[],
    at: string,
    beforeMs: number,
    limit: number,
  ) {
    const isOld = sql<SqlBool>`${sql.ref(at)} < ${beforeMs}`;
    const columns = sql.join(key.map((name) => sql.ref(name)));
    const old = this.db
      .selectFrom(table as 'home')
      .select(key as 'userId'[])
      .where(isOld)
      .limit(limit)
      .forUpdate()
      .skipLocked();
    const { numDeletedRows } = await this.db
      // Postgres may run a subquery with a limit several times, and would delete more.
      .with(
        (name) => name('old').materialized(),
        () => old,
      )
      .deleteFrom(table as 'home')
      .where(isOld)
      .where(sql<SqlBool>`(${columns}) in (select ${columns} from old)`)
      .executeTakeFirst();
    return Number(numDeletedRows);
  }

  /** A lane's task without an open call does nothing, so it keeps no job. */
  private oldJobs(beforeMs: number) {
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

/** Records their threads and channel notices. */
export async function deleteJobs(db: Queries, jobIds: readonly string[], nowMs: number): Promise<void> {
  if (jobIds.length === 0) return;
  await keepNotices(db, jobIds);
  const pullRequests = await db
    .selectFrom('jobPullRequest')
    .select(['teamId', 'key'])
    .distinct()
    .where('jobId', 'in', jobIds)
    .execute();
  const jobs = await db
    .deleteFrom('job')
    .where('id', 'in', jobIds)
    .returning(['teamId', 'channelId', 'threadTs'])
    .execute();
  for (const { teamId, key } of pullRequests) {
    const { numDeletedRows } = await db
      .deleteFrom('pullRequest')
      .where((eb) => eb.and({ teamId, key }))
      .where(
        sql<SqlBool>`not exists (
          select 1 from job_pull_request as kept
          where kept.team_id = pull_request.team_id and kept.key = pull_request.key
        )`,
      )
      .executeTakeFirst();
    if (numDeletedRows === 0n) continue;
    const task = taskId('look_at_pull_request', subjectIn(teamId, key));
    await db.deleteFrom('task').where('id', '=', task).execute();
  }
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
