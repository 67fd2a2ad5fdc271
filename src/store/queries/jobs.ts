import { isDeepStrictEqual } from 'node:util';
import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { createKey } from '#jobs/call.ts';
import type { JobState } from '#jobs/decide/decision-builder.ts';
import { type NeedingJob, undecidedOf } from '#jobs/follow-ups/follow-up.ts';
import type { PastCall } from '#jobs/follow-ups/turns.ts';
import { type Job, type JobCursor, type JobPage, openStages, type Stage, type Viewer } from '#jobs/job.ts';
import type { ChannelSettings } from '#jobs/policy.ts';
import type { TaskKind } from '#jobs/task-kinds.ts';
import { fromJson, type Json, jobColumns, jobFrom, literals, toJson } from '../schema/tables.ts';
import { unsentOrAt } from './follow-ups.ts';
import { prepared } from './prepared.ts';
import { isBeyond, Table } from './table.ts';
import { taskId } from './task.ts';

export type Thread = Readonly<{
  teamId: string;
  channelId: string;
  threadTs: string;
}>;

const NOBODY = '';
/** Drafts and unconfirmed requests are not jobs yet. */
const notYetJobs: readonly Stage['kind'][] = ['awaiting_confirmation', 'draft', 'dropped'];

export interface LockedJob extends JobState {
  readonly saved: ChannelSettings | null;
}

export function savedFrom(saved: Json<ChannelSettings> | null): ChannelSettings | null {
  return saved === null ? null : fromJson(saved);
}

export const savedSettings = sql<Json<ChannelSettings> | null>`(
  select data from channel_setting
  where channel_setting.team_id = job.team_id and channel_setting.channel_id = job.channel_id
)`.as('saved');

const taskOfJob = (kind: TaskKind) => sql`${sql.lit(taskId(kind, ''))} || job.id`;

/** A check without news only writes its task. */
const lastCheck = sql<number | null>`(
  select max(last_run_at) from task where task.id in (${taskOfJob('check_job')}, ${taskOfJob('check_ended_job')})
)`.as('lastCheck');

function checked(job: Job, lastMs: number | null): Job {
  return (lastMs ?? 0) <= (job.checkedAtMs ?? 0) ? job : { ...job, checkedAtMs: lastMs };
}

type Id = { id: string };

const readJob = (isLocked: boolean) =>
  prepared((db, { id }: Id) =>
    db
      .selectFrom('job')
      .select([...jobColumns, 'cardDrawnAt', savedSettings, lastCheck])
      .where('id', '=', id)
      .$if(isLocked, (query) => query.forNoKeyUpdate()),
  );
const lockedRow = readJob(true);
const unlockedRow = readJob(false);

const lockRow = prepared((db, { id }: Id) =>
  db.selectFrom('job').select('id').where('id', '=', id).forNoKeyUpdate(),
);

export class Jobs extends Table {
  private readonly locked = new Map<string, Job>();

  /** Locks the job until commit, with the follow-ups of `unsentOrAt`. */
  async lock(jobId: string, messageTs: string | null = null): Promise<LockedJob | null> {
    const found = await this.read(jobId, messageTs, true);
    if (found === null) return null;
    const { cardDrawnAtMs: _, ...state } = found;
    const { job } = state;
    this.locked.set(jobId, job);
    const mayBePending = job.stage.kind === 'creating' && job.creates > 0;
    const call = mayBePending
      ? await this.row('call', { naturalKey: createKey(job), state: 'pending' })
      : undefined;
    return { ...state, ...(call && { pendingCreateId: call.id }) };
  }

  /** With the follow-ups that have not reached the agent. */
  readUnlocked(jobId: string) {
    return this.read(jobId, null, false);
  }

  private async read(jobId: string, messageTs: string | null, isLocked: boolean) {
    const [row] = await (isLocked ? lockedRow : unlockedRow)(this.db, { id: jobId });
    if (row === undefined) return null;
    return {
      job: checked(jobFrom(row), row.lastCheck),
      followUps: await unsentOrAt(this.db, jobId, messageTs),
      saved: savedFrom(row.saved),
      cardDrawnAtMs: row.cardDrawnAt,
    };
  }

  /** Locks the job without reading it. */
  async lockOnly(jobId: string): Promise<void> {
    await lockRow(this.db, { id: jobId });
  }

  async get(jobId: string): Promise<Job | null> {
    const row = await this.row('job', { id: jobId });
    return row === undefined ? null : jobFrom(row);
  }

  async findByThread(teamId: string, channelId: string, threadTs: string): Promise<string | null> {
    const job = await this.row('job', { teamId, channelId, threadTs });
    return job?.id ?? null;
  }

  /** The job whose refused card keeps the reply at `messageTs`. */
  async findByRefusedCard(teamId: string, channelId: string, messageTs: string): Promise<string | null> {
    const row = await this.db
      .selectFrom('job')
      .innerJoin('followUp', 'followUp.jobId', 'job.id')
      .select('job.id')
      .where((eb) => eb.and({ stage: 'card_failed', teamId, channelId, messageTs, state: 'not_sent' }))
      .executeTakeFirst();
    return row?.id ?? null;
  }

  /** Returns when the first was requested. */
  async lockOpening(teamId: string, channelId: string): Promise<number | null> {
    const rows = await this.rows('job', { teamId, channelId })
      .where('stage', 'in', ['opening', 'draft'])
      .where(
        sql<SqlBool>`(stage = 'opening' or thread_ts is null) and exists (
          select 1 from call where call.job_id = job.id and call.state = 'started'
            and call.kind = case job.stage when 'opening' then 'post_card' else 'announce' end
        )`,
      )
      // Sorted to avoid deadlocks.
      .orderBy('id')
      .forNoKeyUpdate()
      .execute();
    return rows.length === 0 ? null : Math.min(...rows.map((row) => row.requestedAt));
  }

  /** Newest first. Takes a lock: concurrent requests see each other. */
  async requestedBy(
    { teamId, channelId, requesterId: personId }: Pick<Job, 'teamId' | 'channelId' | 'requesterId'>,
    sinceMs: number,
  ): Promise<Job[]> {
    const requesterId = personId ?? NOBODY;
    await this.tasks.takeLock(`asker:${teamId}:${channelId}:${requesterId}`);
    const jobs = this.rows('job', { teamId, channelId, requesterId }).where('requestedAt', '>', sinceMs);
    return (await jobs.orderBy('requestedAt', 'desc').execute()).map(jobFrom);
  }

  /** Newest first. Takes a lock. */
  async ofAgentJob(teamId: string, projectId: string, agentJobId: string): Promise<Job[]> {
    await this.tasks.takeLock(`agent_job:${teamId}:${projectId}:${agentJobId}`);
    const jobs = this.rows('job', { agentJobId, teamId, projectId }).orderBy('requestedAt', 'desc');
    return (await jobs.execute()).map(jobFrom);
  }

  async cardDrawn(jobId: string, nowMs: number): Promise<void> {
    await this.update('job', { id: jobId }, { cardDrawnAt: nowMs });
  }

  /** Writes only changes to a locked job: SQLite rewrites the index entries of every column that is set. */
  async put(given: Job): Promise<void> {
    const before = this.locked.get(given.id);
    if (before === given) return;
    const job = { ...given, number: await this.numberOf(given) };
    const keys = keysOf(job);
    const data = toJson(job);
    if (before === undefined) await this.upsert('job', { id: job.id }, { ...keys, data });
    else {
      const changes = isDeepStrictEqual(keys, keysOf(before)) ? { data } : { ...keys, data };
      await this.update('job', { id: job.id }, changes);
    }
    this.locked.set(job.id, job);
  }

  /** Only requests of the same workspace wait for each other's commit. */
  private async numberOf({ teamId, number, stage }: Job) {
    if (number > 0 || notYetJobs.includes(stage.kind)) return number;
    const { rows } = await sql<{ lastNumber: number }>`
      insert into job_count (team_id, last_number) values (${teamId}, 1)
      on conflict (team_id) do update set last_number = job_count.last_number + 1
      returning last_number`.execute(this.db);
    return rows[0]?.lastNumber ?? 0;
  }
}

function keysOf(job: Job) {
  return {
    teamId: job.teamId,
    channelId: job.channelId,
    threadTs: job.threadTs,
    projectId: job.projectId,
    requesterId: job.requesterId ?? NOBODY,
    requestedAt: job.requestedAtMs,
    stage: job.stage.kind,
    agentJobId: job.agentJob?.id ?? job.watchedAgentJobId,
    hasPullRequest: job.announcedPrLink === null ? 0 : 1,
    number: job.number || null,
  };
}

type Condition = RawBuilder<SqlBool>;

const MAX_MEANT = 20;
const MAX_CALLS = 500;
const ID_START = /^[0-9a-f-]{13,36}$/i;
const NUMBER = /^#?([1-9]\d{0,8})$/;
const IS_JOB: Condition = sql`stage not in (${literals(notYetJobs)})`;
const IS_OPEN: Condition = sql`stage in (${literals(openStages)})`;

const WHICH = {
  all: sql<SqlBool>`1 = 1`,
  open: IS_OPEN,
  with_pull_request: sql<SqlBool>`has_pull_request = 1`,
};

export class JobLists extends Table {
  /** @param before null: the newest */
  async page(
    { teamId, userId, channelId }: Viewer,
    before: JobCursor | null,
    limit: number,
  ): Promise<JobPage> {
    const newest = (isMeant: Condition) =>
      this.db
        .selectFrom('job')
        .select(['id', 'requestedAt', ...jobColumns])
        .where('teamId', '=', teamId)
        .where(isMeant)
        .where(isBeyond(['requestedAt', 'id'], before && [before.requestedAtMs, before.id], '<'))
        .orderBy('requestedAt', 'desc')
        .orderBy('id', 'desc')
        .limit(limit + 1);
    const own = newest(sql`requester_id = ${userId} and ${IS_JOB}`).as('own');
    const open = newest(sql`channel_id = ${channelId} and ${IS_OPEN}`).as('open');
    const rows = await this.db
      .selectFrom(own)
      .selectAll()
      .union(this.db.selectFrom(open).selectAll())
      .orderBy('requestedAt', 'desc')
      .orderBy('id', 'desc')
      .limit(limit + 1)
      .execute();
    return { jobs: rows.slice(0, limit).map(jobFrom), hasOlder: rows.length > limit };
  }

  async recentOf(teamId: string, userId: string, sinceMs: number, limit: number): Promise<NeedingJob[]> {
    const jobs = await this.newestOf(teamId, userId, { sinceMs }, limit);
    const ids = jobs.map(({ id }) => id);
    const rows = await this.db
      .selectFrom('followUp')
      .select(['jobId', 'callId', 'state'])
      .where('jobId', 'in', ids)
      .where('state', 'in', ['not_sent', 'unknown'])
      .where('callId', 'is not', null)
      .orderBy('messageTs')
      .limit(MAX_CALLS)
      .$narrowType<{ callId: string }>()
      .execute();
    const calls = Map.groupBy(rows, ({ jobId }) => jobId);
    return jobs.map((job) => ({ job, undecided: undecidedOf(calls.get(job.id) ?? []) }));
  }

  /** Finds jobs by number (`#142`), id, its first 13 or more characters, or agent job id. */
  async findByIdentifier(teamId: string, id: string): Promise<Job[]> {
    const find = (isMeant: Condition) =>
      this.db
        .selectFrom('job')
        .select(['id', 'requestedAt', ...jobColumns])
        // Without `|| ''`, SQLite would scan all jobs of the workspace.
        .where(sql<SqlBool>`team_id || '' = ${teamId}`)
        .where(IS_JOB)
        .where(isMeant)
        .orderBy('requestedAt', 'desc')
        .limit(MAX_MEANT)
        .execute();
    const found = [...(await find(sql`id = ${id}`)), ...(await find(sql`agent_job_id = ${id}`))];
    if (ID_START.test(id)) found.push(...(await find(beginsWith(id.toLowerCase()))));
    found.sort((a, b) => b.requestedAt - a.requestedAt);
    const [, number] = NUMBER.exec(id) ?? [];
    const numbered = number === undefined ? [] : await find(sql`number = ${Number(number)}`);
    const rows = [...new Map([...numbered, ...found].map((row) => [row.id, row])).values()];
    return rows.slice(0, MAX_MEANT).map(jobFrom);
  }

  /** Oldest first. */
  async callsOf(jobId: string): Promise<PastCall[]> {
    const rows = await this.rows('call', { jobId }).orderBy('seq', 'desc').limit(MAX_CALLS).execute();
    return rows.reverse().map(({ request, state, createdAt: createdAtMs, endedAt: endedAtMs }) => {
      return { request: fromJson(request), state, createdAtMs, endedAtMs };
    });
  }

  async newestOf(
    teamId: string,
    userId: string,
    which: keyof typeof WHICH | { readonly sinceMs: number },
    limit: number,
  ): Promise<Job[]> {
    const isMeant = typeof which === 'string' ? WHICH[which] : sql<SqlBool>`requested_at >= ${which.sinceMs}`;
    const rows = await this.rows('job', { teamId, requesterId: userId })
      .where(isMeant)
      .where(IS_JOB)
      .orderBy('requestedAt', 'desc')
      .orderBy('id', 'desc')
      .limit(limit)
      .execute();
    return rows.map(jobFrom);
  }
}

/** In every collation, `g` sorts after the characters of an id. */
function beginsWith(idStart: string): Condition {
  return sql`id >= ${idStart} and id < ${`${idStart}g`} and id like ${`${idStart}%`}`;
}
