import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { type FollowUp, unsentStates } from '../../jobs/follow-ups/follow-up.ts';
import { undecidedOf } from '../../jobs/follow-ups/follow-up-queue.ts';
import type { PastCall } from '../../jobs/follow-ups/turns.ts';
import { type Job, openStages } from '../../jobs/job.ts';
import type { JobPage, NeedingJob, PageStart, Viewer } from '../../jobs/shown/lists.ts';
import { fromJson, jobColumns, jobFrom } from '../schema/tables.ts';
import { followUpColumns, followUpFrom } from './follow-ups.ts';
import { isBeyond, Table } from './table.ts';

type Condition = RawBuilder<SqlBool>;

const MAX_MEANT = 20;
const MAX_CALLS = 500;
const MAX_UNSENT = 50;
/** Fewer characters of an id would name too many jobs. */
const ID_START = /^[0-9a-f-]{13,36}$/i;
const NUMBER = /^#?([1-9]\d{0,8})$/;
/** A request that awaits confirmation, or a draft, is no job yet. */
const IS_JOB: Condition = sql`stage not in ('awaiting_confirmation', 'draft', 'dropped')`;
/** Worded as in the partial index, so that the databases use it. */
const IS_OPEN: Condition = sql`stage in (${sql.join(openStages.map((stage) => sql.lit(stage)))})`;

const WHICH = {
  all: sql<SqlBool>`1 = 1`,
  open: IS_OPEN,
  with_pull_request: sql<SqlBool>`has_pull_request = 1`,
};

/** Jobs as people look for them. Nothing is locked. */
export class JobLists extends Table {
  /** One page of the person's own jobs and the open ones of the channel. */
  async page(viewer: Viewer, start: PageStart, limit: number): Promise<JobPage> {
    const found = await this.visibleTo(viewer, start, limit + 1);
    const hasMore = found.length > limit;
    if (start === null) return { jobs: found.slice(0, limit), hasNewer: false, hasOlder: hasMore };
    if (start.to === 'older') return { jobs: found.slice(0, limit), hasNewer: true, hasOlder: hasMore };
    // With less than a page of newer jobs, the first page is meant.
    if (found.length < limit) return this.page(viewer, null, limit);
    return { jobs: found.slice(0, limit).reverse(), hasNewer: hasMore, hasOlder: true };
  }

  /** The person's jobs since then, newest first, with their replies that need a decision. */
  async recentOf(teamId: string, userId: string, sinceMs: number, limit: number): Promise<NeedingJob[]> {
    const jobs = await this.newestOf(teamId, userId, { sinceMs }, limit);
    const rows = await this.db
      .selectFrom('followUp')
      .select(['jobId', 'callId', 'state'])
      .where('jobId', 'in', ['', ...jobs.map(({ id }) => id)])
      .where('state', 'in', ['not_sent', 'unknown'])
      .where('callId', 'is not', null)
      .orderBy('messageTs')
      .limit(MAX_CALLS)
      .execute();
    return jobs.map((job) => {
      const calls = rows.flatMap(({ jobId, callId, state }) =>
        jobId === job.id && callId !== null ? [{ callId, state }] : [],
      );
      return { job, undecided: undecidedOf(calls) };
    });
  }

  /**
   * Up to 20 jobs of the workspace that `id` may mean: the one with this number (`142`, `#142`), then, newest first, those
   * with this id, at least 13 characters of it, or this agent job's id.
   */
  async meant(teamId: string, id: string): Promise<Job[]> {
    const such = (isMeant: Condition) =>
      this.db
        .selectFrom('job')
        .select(['id', 'requestedAt', ...jobColumns])
        // A plain `team_id` would make SQLite scan all jobs of the workspace.
        .where(sql<SqlBool>`team_id || '' = ${teamId}`)
        .where(IS_JOB)
        .where(isMeant)
        .orderBy('requestedAt', 'desc')
        .limit(MAX_MEANT);
    // One query for each kind of name, as each has its own index.
    const found = [...(await such(sql`id = ${id}`).execute())];
    found.push(...(await such(sql`agent_job_id = ${id}`).execute()));
    if (ID_START.test(id)) found.push(...(await such(beginsWith(id.toLowerCase())).execute()));
    found.sort((a, b) => b.requestedAt - a.requestedAt);
    const [, number] = NUMBER.exec(id) ?? [];
    const numbered = number === undefined ? [] : await such(sql`number = ${Number(number)}`).execute();
    const rows = [...new Map([...numbered, ...found].map((row) => [row.id, row])).values()];
    return rows.slice(0, MAX_MEANT).map(jobFrom);
  }

  /** The newest 500 calls of the job, oldest first. */
  async callsOf(jobId: string): Promise<PastCall[]> {
    const rows = await this.db
      .selectFrom('call')
      .select(['request', 'state', 'createdAt as createdAtMs', 'endedAt as endedAtMs'])
      .where('jobId', '=', jobId)
      .orderBy('seq', 'desc')
      .limit(MAX_CALLS)
      .execute();
    return rows.reverse().map((row) => ({ ...row, request: fromJson(row.request) }));
  }

  /** The 50 oldest follow-ups that have not reached the agent, or may not have. */
  async unsentOf(jobId: string): Promise<FollowUp[]> {
    const rows = await this.db
      .selectFrom('followUp')
      .select(followUpColumns)
      .where('jobId', '=', jobId)
      .where('state', 'in', unsentStates)
      .orderBy('messageTs')
      .limit(MAX_UNSENT)
      .execute();
    return rows.map(followUpFrom);
  }

  /** Nearest to the start first. */
  private async visibleTo(
    { teamId, userId, channelId }: Viewer,
    start: PageStart,
    limit: number,
  ): Promise<Job[]> {
    const [direction, order] = start?.to === 'newer' ? (['asc', '>'] as const) : (['desc', '<'] as const);
    const nearest = (isMeant: Condition) =>
      this.db
        .selectFrom('job')
        .select(['id', 'requestedAt', ...jobColumns])
        .where('teamId', '=', teamId)
        .where(isMeant)
        .where(isBeyond(['requestedAt', 'id'], start && [start.than.requestedAtMs, start.than.id], order))
        .orderBy('requestedAt', direction)
        .orderBy('id', direction)
        .limit(limit);
    const own = nearest(sql`requester_id = ${userId} and ${IS_JOB}`).as('own');
    const open = nearest(sql`channel_id = ${channelId} and ${IS_OPEN}`).as('open');
    const rows = await this.db
      .selectFrom(own)
      .selectAll()
      .union(this.db.selectFrom(open).selectAll())
      .orderBy('requestedAt', direction)
      .orderBy('id', direction)
      .limit(limit)
      .execute();
    return rows.map(jobFrom);
  }

  /** The person's jobs, newest first. */
  async newestOf(
    teamId: string,
    userId: string,
    which: keyof typeof WHICH | { readonly sinceMs: number },
    limit: number,
  ): Promise<Job[]> {
    const isMeant = typeof which === 'string' ? WHICH[which] : sql<SqlBool>`requested_at >= ${which.sinceMs}`;
    const rows = await this.db
      .selectFrom('job')
      .select(jobColumns)
      .where('teamId', '=', teamId)
      .where('requesterId', '=', userId)
      .where(isMeant)
      .where(IS_JOB)
      .orderBy('requestedAt', 'desc')
      .orderBy('id', 'desc')
      .limit(limit)
      .execute();
    return rows.map(jobFrom);
  }
}

/** A range for the index; in every collation, `g` sorts after anything that may follow in an id. */
function beginsWith(idStart: string): Condition {
  return sql`id >= ${idStart} and id < ${`${idStart}g`} and id like ${`${idStart}%`}`;
}
