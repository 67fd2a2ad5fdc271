import { isDeepStrictEqual } from 'node:util';
import { type SqlBool, sql } from 'kysely';
import { createKey } from '../../jobs/call.ts';
import type { JobState } from '../../jobs/decision.ts';
import type { Job } from '../../jobs/job.ts';
import type { ChannelSettings } from '../../jobs/policy.ts';
import type { TaskKind } from '../../jobs/task-kinds.ts';
import { fromJson, type Json, jobColumns, jobFrom, type Tables, toJson } from '../schema/tables.ts';
import { unsentOrAt } from './follow-ups.ts';
import { Table } from './table.ts';
import { taskId } from './tasks/task.ts';

export type Thread = Readonly<{
  teamId: string;
  channelId: string;
  threadTs: string;
}>;

/** No message has this timestamp. */
const NO_MESSAGE = '';
const NOBODY = '';

export interface LockedJob extends JobState {
  /** What administrators saved for its channel. */
  readonly saved: ChannelSettings | null;
}

export function savedFrom(saved: Json<ChannelSettings> | null): ChannelSettings | null {
  return saved === null ? null : fromJson(saved);
}

/** Of the job's channel. */
export const savedSettings = sql<Json<ChannelSettings> | null>`(
  select data from channel_setting
  where channel_setting.team_id = job.team_id and channel_setting.channel_id = job.channel_id
)`.as('saved');

const taskOfJob = (kind: TaskKind) => sql`${sql.lit(taskId(kind, ''))} || job.id`;

/** Checks without news are written to their tasks only. */
const lastCheck = sql<number | null>`(
  select max(last_run_at) from task where task.id in (${taskOfJob('check_job')}, ${taskOfJob('check_ended_job')})
)`.as('lastCheck');

/** The job as shown. @param lastMs when a check last found nothing new */
export function checked(job: Job, lastMs: number | null): Job {
  return (lastMs ?? 0) <= (job.checkedAtMs ?? 0) ? job : { ...job, checkedAtMs: lastMs };
}

export class Jobs extends Table {
  /** As they are stored. */
  private readonly locked = new Map<string, Job>();

  /**
   * Locks the job until commit. With it come up to 500 follow-ups that may still be sent (those that go out by
   * themselves first, then the oldest), and the one at `messageTs` in any state.
   */
  async lock(jobId: string, messageTs: string | null = null): Promise<LockedJob | null> {
    const row = await this.withLastCheck(jobId).forNoKeyUpdate().executeTakeFirst();
    if (row === undefined) return null;
    const followUps = await unsentOrAt(this.db, jobId, messageTs ?? NO_MESSAGE);
    const job = checked(jobFrom(row), row.lastCheck);
    this.locked.set(jobId, job);
    const mayBePending = job.stage.kind === 'creating' && job.creates > 0;
    const call = mayBePending ? await this.pendingCall(createKey(job)) : undefined;
    return { job, followUps, saved: savedFrom(row.saved), ...(call && { pendingCreateId: call.id }) };
  }

  /** As `lock`, without the lock, for readers who are told when it changes. */
  async shown(jobId: string) {
    const row = await this.withLastCheck(jobId).select('cardDrawnAt').executeTakeFirst();
    if (row === undefined) return null;
    const job = checked(jobFrom(row), row.lastCheck);
    const followUps = await unsentOrAt(this.db, jobId, NO_MESSAGE);
    return { job, followUps, saved: savedFrom(row.saved), cardDrawnAtMs: row.cardDrawnAt };
  }

  /** Locks the job, and reads nothing of it. */
  async hold(jobId: string): Promise<void> {
    await this.jobs(['id']).where('id', '=', jobId).forNoKeyUpdate().execute();
  }

  async get(jobId: string): Promise<Job | null> {
    const row = await this.jobs(jobColumns).where('id', '=', jobId).executeTakeFirst();
    return row === undefined ? null : jobFrom(row);
  }

  async findByThread(teamId: string, channelId: string, threadTs: string): Promise<string | null> {
    const row = await this.jobs(['id'])
      .where((eb) => eb.and({ teamId, channelId, threadTs }))
      .executeTakeFirst();
    return row?.id ?? null;
  }

  /** The job whose card was refused, and whose reply at `messageTs` waits for *Try again*. */
  async findKeeping(teamId: string, channelId: string, messageTs: string): Promise<string | null> {
    const row = await this.db
      .selectFrom('job')
      .innerJoin('followUp', 'followUp.jobId', 'job.id')
      .select('job.id')
      .where((eb) => eb.and({ stage: 'card_failed', teamId, channelId, messageTs, state: 'not_sent' }))
      .executeTakeFirst();
    return row?.id ?? null;
  }

  /** Locks the channel's jobs whose card may already be posted. Returns when the first was requested, or null. */
  async lockOpening(teamId: string, channelId: string): Promise<number | null> {
    const rows = await this.jobs(['requestedAt'])
      .where((eb) => eb.and({ teamId, channelId }))
      .where('stage', 'in', ['opening', 'draft'])
      .where(
        sql<SqlBool>`(stage = 'opening' or thread_ts is null) and exists (
          select 1 from call where call.job_id = job.id and call.state = 'started'
            and call.kind = case job.stage when 'opening' then 'post_card' else 'announce' end
        )`,
      )
      // Sorted, so that concurrent transactions do not deadlock.
      .orderBy('id')
      .forNoKeyUpdate()
      .execute();
    return rows.length === 0 ? null : Math.min(...rows.map((row) => row.requestedAt));
  }

  /** The person's (null: nobody's) jobs in the channel since then, newest first. Locked, so that concurrent requests see each other. */
  async requestedBy(
    { teamId, channelId, requesterId: personId }: Pick<Job, 'teamId' | 'channelId' | 'requesterId'>,
    sinceMs: number,
  ): Promise<Job[]> {
    const requesterId = personId ?? NOBODY;
    await this.takeAdvisoryLock(`asker:${teamId}:${channelId}:${requesterId}`);
    const rows = await this.jobs(jobColumns)
      .where((eb) => eb.and({ teamId, channelId, requesterId }))
      .where('requestedAt', '>', sinceMs)
      .orderBy('requestedAt', 'desc')
      .execute();
    return rows.map(jobFrom);
  }

  /** Jobs that watch this agent job, newest first. Locked likewise. */
  async ofAgentJob(teamId: string, projectId: string, agentJobId: string): Promise<Job[]> {
    await this.takeAdvisoryLock(`agent_job:${teamId}:${projectId}:${agentJobId}`);
    const rows = await this.jobs(jobColumns)
      .where((eb) => eb.and({ agentJobId, teamId, projectId }))
      .orderBy('requestedAt', 'desc')
      .execute();
    return rows.map(jobFrom);
  }

  async cardDrawn(jobId: string, nowMs: number): Promise<void> {
    await this.db.updateTable('job').set({ cardDrawnAt: nowMs }).where('id', '=', jobId).execute();
  }

  /**
   * Writes only what has changed of a locked job: SQLite renews the entry of every index whose columns are
   * set.
   */
  async put(job: Job): Promise<void> {
    const before = this.locked.get(job.id);
    if (before === job) return;
    const data = toJson(job);
    const keys = keysOf(job);
    if (before === undefined) {
      await this.db
        .insertInto('job')
        .values({ id: job.id, number: job.number || null, ...keys, data })
        .onConflict((conflict) => conflict.column('id').doUpdateSet({ ...keys, data }))
        .execute();
    } else {
      const changes = isDeepStrictEqual(keys, keysOf(before)) ? { data } : { ...keys, data };
      await this.db.updateTable('job').set(changes).where('id', '=', job.id).execute();
    }
    this.locked.set(job.id, job);
  }

  private jobs<Column extends keyof Tables['job']>(columns: readonly Column[]) {
    return this.db.selectFrom('job').select(columns);
  }

  private withLastCheck(jobId: string) {
    return this.db
      .selectFrom('job')
      .select([...jobColumns, savedSettings, lastCheck])
      .where('id', '=', jobId);
  }

  private pendingCall(naturalKey: string) {
    return this.db
      .selectFrom('call')
      .select('id')
      .where((eb) => eb.and({ naturalKey, state: 'pending' }))
      .executeTakeFirst();
  }
}

/** The columns by which jobs are found. */
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
  };
}
