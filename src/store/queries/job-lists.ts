import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { type FollowUp, unsentStates } from '../../jobs/follow-up.ts';
import type { Job } from '../../jobs/job.ts';
import type { JobPage, PageStart, Viewer } from '../../jobs/lists.ts';
import { openStages } from '../../jobs/stages.ts';
import type { PastCall } from '../../jobs/turns.ts';
import { jobFromJson, requestFromJson } from '../schema/json.ts';
import type { Queries } from '../schema/tables.ts';
import { followUpFromRow } from './follow-ups.ts';

type Condition = RawBuilder<SqlBool>;

const MAX_MEANT = 20;
const MAX_CALLS = 500;
const MAX_UNSENT = 50;
/** Fewer characters of an id would name too many jobs. */
const ID_START = /^[0-9a-f-]{13,36}$/i;
const ANY: Condition = sql`1 = 1`;
/** One that still asks whether it is wanted at all is none. */
const IS_JOB: Condition = sql`stage != 'asking'`;
const HAS_PULL_REQUEST: Condition = sql`has_pull_request = 1`;
/** In the words of the index, so that the databases see that it serves. */
const IS_OPEN: Condition = sql`stage in (${sql.join(openStages.map((stage) => sql.lit(stage)))})`;

/** Jobs as people look for them. Nothing is locked. */
export class JobLists {
  private readonly db: Queries;

  constructor(db: Queries) {
    this.db = db;
  }

  /** One page of what the person sees there: own jobs, and those that are open in the channel. */
  async page(sight: Viewer, start: PageStart, limit: number): Promise<JobPage> {
    const found = await this.inSight(sight, start, limit + 1);
    const hasMore = found.length > limit;
    if (start === null) return { jobs: found.slice(0, limit), hasNewer: false, hasOlder: hasMore };
    if (start.to === 'older') return { jobs: found.slice(0, limit), hasNewer: true, hasOlder: hasMore };
    // Fewer than a page are newer: then the first page is the one that is meant.
    if (found.length < limit) return this.page(sight, null, limit);
    return { jobs: found.slice(0, limit).reverse(), hasNewer: hasMore, hasOlder: true };
  }

  /** The person's open jobs, newest first. */
  async openOf(teamId: string, userId: string, limit: number): Promise<Job[]> {
    return this.newestOf(teamId, userId, IS_OPEN, limit);
  }

  /** The person's jobs that have a pull request, newest first. */
  async withPullRequest(teamId: string, userId: string, limit: number): Promise<Job[]> {
    return this.newestOf(teamId, userId, HAS_PULL_REQUEST, limit);
  }

  /** The job that the person asked for last. */
  async latestOf(teamId: string, userId: string): Promise<Job | null> {
    const [latest] = await this.newestOf(teamId, userId, ANY, 1);
    return latest ?? null;
  }

  /**
   * The jobs of the workspace that this may mean, newest first, at most 20: by their id, by its first 13
   * characters or more, or by the id of their agent job.
   */
  async meant(teamId: string, id: string): Promise<Job[]> {
    const such = (isMeant: Condition) =>
      this.db
        .selectFrom('job')
        .select(['id', 'requested_at', 'data'])
        // As it stands, `team_id` would lead SQLite through all jobs of the workspace.
        .where(sql<SqlBool>`team_id || '' = ${teamId}`)
        .where(IS_JOB)
        .where(isMeant)
        .orderBy('requested_at', 'desc')
        .limit(MAX_MEANT);
    // One query for each way to name it, as each has its own index.
    const found = [...(await such(sql`id = ${id}`).execute())];
    found.push(...(await such(sql`agent_job_id = ${id}`).execute()));
    if (ID_START.test(id)) found.push(...(await such(beginsWith(id.toLowerCase())).execute()));
    const rows = [...new Map(found.map((row) => [row.id, row])).values()];
    rows.sort((a, b) => b.requested_at - a.requested_at);
    return rows.slice(0, MAX_MEANT).map((row) => jobFromJson(row.data));
  }

  /** The newest 500 calls of the job, oldest first. */
  async callsOf(jobId: string): Promise<PastCall[]> {
    const rows = await this.db
      .selectFrom('call')
      .select(['request', 'state', 'wanted_at', 'ended_at'])
      .where('job_id', '=', jobId)
      .orderBy('seq', 'desc')
      .limit(MAX_CALLS)
      .execute();
    return rows.reverse().map((row) => ({
      request: requestFromJson(row.request),
      state: row.state,
      wantedAtMs: row.wanted_at,
      endedAtMs: row.ended_at,
    }));
  }

  /** The follow-ups that have not reached the agent, or may not have: the 50 oldest. */
  async unsentOf(jobId: string): Promise<FollowUp[]> {
    const rows = await this.db
      .selectFrom('follow_up')
      .selectAll()
      .where('job_id', '=', jobId)
      .where('state', 'in', unsentStates)
      .orderBy('message_ts')
      .limit(MAX_UNSENT)
      .execute();
    return rows.map(followUpFromRow);
  }

  /** In the order of the direction: the nearest to the start first. */
  private async inSight(
    { teamId, userId, channelId }: Viewer,
    start: PageStart,
    limit: number,
  ): Promise<Job[]> {
    const direction = start?.to === 'newer' ? 'asc' : 'desc';
    const nearest = (isMeant: Condition) =>
      this.db
        .selectFrom('job')
        .select(['id', 'requested_at', 'data'])
        .where('team_id', '=', teamId)
        .where(isMeant)
        .where(isBeyond(start))
        .orderBy('requested_at', direction)
        .orderBy('id', direction)
        .limit(limit);
    const own = nearest(sql`requester_id = ${userId} and ${IS_JOB}`).as('own');
    const open = nearest(sql`channel_id = ${channelId} and ${IS_OPEN}`).as('open');
    const rows = await this.db
      .selectFrom(own)
      .selectAll()
      .union(this.db.selectFrom(open).selectAll())
      .orderBy('requested_at', direction)
      .orderBy('id', direction)
      .limit(limit)
      .execute();
    return rows.map((row) => jobFromJson(row.data));
  }

  private async newestOf(teamId: string, userId: string, isMeant: Condition, limit: number): Promise<Job[]> {
    const rows = await this.db
      .selectFrom('job')
      .select('data')
      .where('team_id', '=', teamId)
      .where('requester_id', '=', userId)
      .where(isMeant)
      .where(IS_JOB)
      .orderBy('requested_at', 'desc')
      .orderBy('id', 'desc')
      .limit(limit)
      .execute();
    return rows.map((row) => jobFromJson(row.data));
  }
}

/** Between the two the index leads; in every collation `g` comes after whatever an id goes on with. */
function beginsWith(idStart: string): Condition {
  return sql`id >= ${idStart} and id < ${`${idStart}g`} and id like ${`${idStart}%`}`;
}

function isBeyond(start: PageStart): Condition {
  if (start === null) return ANY;
  const { requestedAtMs, id } = start.than;
  const place = sql`(${requestedAtMs}, ${id})`;
  return start.to === 'older' ? sql`(requested_at, id) < ${place}` : sql`(requested_at, id) > ${place}`;
}
