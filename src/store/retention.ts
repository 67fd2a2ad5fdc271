import { type SqlBool, sql } from 'kysely';
import { dueStates } from '#jobs/follow-ups/follow-up.ts';
import { overStages } from '#jobs/job.ts';
import { laneTaskKinds } from '#jobs/task-kinds.ts';
import { Calls } from './queries/calls.ts';
import type { Thread } from './queries/jobs.ts';
import { idsOf } from './queries/prepared.ts';
import { Table } from './queries/table.ts';
import { subjectIn, taskId } from './queries/task.ts';
import { literals, type Tables } from './schema/tables.ts';

/**
 * Worded as in the index `job_over`. Without `|| ''`, SQLite uses the index of stages and scans all ended
 * jobs.
 */
const IS_OVER = sql<SqlBool>`(stage || '') in (${literals(overStages)})`;

const DAY_MS = 86_400_000;
/**
 * Slack redelivers events for a few hours; threads are read for missed replies for 14 days. Older ones are
 * not accepted (`isTooOld`).
 */
const REQUESTS_KEPT_MS = 30 * DAY_MS;
/** Senders retry for days with the same id. */
const HOOK_ANSWERS_KEPT_MS = 7 * DAY_MS;
/** Much longer than a post's outcome takes. */
const EARLY_REPLIES_KEPT_MS = 3_600_000;
/** Home tabs are refreshed for an hour after opening. */
const HOMES_KEPT_MS = DAY_MS;

export class Retention extends Table {
  /** Deletes inactive jobs with nothing left to do, the oldest first. Returns their number. */
  async pruneJobs(beforeMs: number, limit: number, nowMs: number): Promise<number> {
    const oldest = this.oldJobs(beforeMs).orderBy('requestedAt').orderBy('id').limit(limit);
    const found = await oldest.forUpdate().skipLocked().execute();
    // Checked again under the locks: something may have arrived before them.
    const over = await this.oldJobs(beforeMs).where('id', 'in', idsOf(found)).execute();
    await this.deleteJobs(idsOf(over), nowMs);
    return over.length;
  }

  async pruneTraces(jobsBeforeMs: number, limit: number, nowMs: number): Promise<number> {
    await this.db
      .deleteFrom('earlyReply')
      .where('receivedAt', '<', nowMs - EARLY_REPLIES_KEPT_MS)
      .where(
        sql<SqlBool>`not exists (
          select 1 from job
          where job.team_id = early_reply.team_id and job.channel_id = early_reply.channel_id
            and stage in ('opening', 'draft') and (stage = 'opening' or job.thread_ts is null)
        )`,
      )
      .execute();
    return Math.max(
      await this.pruneRows('inboundRequest', ['key'], 'at', nowMs - REQUESTS_KEPT_MS, limit),
      await this.pruneRows('hookAnswer', ['key'], 'at', nowMs - HOOK_ANSWERS_KEPT_MS, limit),
      await this.pruneRows('home', ['teamId', 'userId'], 'openedAt', nowMs - HOMES_KEPT_MS, limit),
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
      .select('id')
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

  /** Keeps the facts that they had threads and channel notices. */
  async deleteJobs(jobIds: readonly string[], nowMs: number): Promise<void> {
    if (jobIds.length === 0) return;
    await new Calls(this.db).keepNotices(jobIds);
    const pullRequests = await this.db
      .selectFrom('jobPullRequest')
      .select(['teamId', 'key'])
      .distinct()
      .where('jobId', 'in', jobIds)
      .execute();
    const jobs = await this.db
      .deleteFrom('job')
      .where('id', 'in', jobIds)
      .returning(['teamId', 'channelId', 'threadTs'])
      .execute();
    for (const key of pullRequests) {
      const isUnused = sql<SqlBool>`not exists (
        select 1 from job_pull_request as kept
        where kept.team_id = pull_request.team_id and kept.key = pull_request.key
      )`;
      if (!(await this.delete('pullRequest', key, isUnused))) continue;
      await this.delete('task', { id: taskId('look_at_pull_request', subjectIn(key.teamId, key.key)) });
    }
    for (const { threadTs, ...place } of jobs) {
      if (threadTs !== null) await this.upsert('pastThread', { ...place, threadTs }, { at: nowMs });
    }
  }
}
