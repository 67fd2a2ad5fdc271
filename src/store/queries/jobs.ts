import { type SqlBool, sql } from 'kysely';
import { createKey } from '../../jobs/call.ts';
import type { JobState } from '../../jobs/decision.ts';
import type { Job } from '../../jobs/job.ts';
import type { ChannelSettings } from '../../jobs/policy.ts';
import type { TaskKind } from '../../jobs/task-kinds.ts';
import { fromJson, type Json, jobFrom, type Tables, toJson } from '../schema/tables.ts';
import { unsentOrAt } from './follow-ups.ts';
import { pick, prepared, type Values } from './prepared.ts';
import { Table } from './table.ts';
import { taskId } from './tasks/task.ts';

export interface Thread {
  readonly teamId: string;
  readonly channelId: string;
  readonly threadTs: string;
}

/** No message has this timestamp. */
const NO_MESSAGE = '';
const NOBODY = '';

export interface LockedJob extends JobState {
  /** What administrators saved for its channel. */
  readonly saved: ChannelSettings | null;
}

export interface ShownJob extends LockedJob {
  readonly cardDrawnAtMs: number | null;
}

export function savedFrom(saved: Json<ChannelSettings> | null): ChannelSettings | null {
  return saved === null ? null : fromJson(saved);
}

type Channel = Pick<Thread, 'teamId' | 'channelId'>;

const dataOfJob = prepared((db, { jobId }: Values<{ jobId: string }>) =>
  db.selectFrom('job').select(['data', 'number']).where('id', '=', jobId),
);

/** Of the job's channel. */
export const savedSettings = sql<Json<ChannelSettings> | null>`(
  select data from channel_setting
  where channel_setting.team_id = job.team_id and channel_setting.channel_id = job.channel_id
)`.as('saved');

const taskOfJob = (kind: TaskKind) => sql`${sql.lit(taskId(kind, ''))} || job.id`;

/** Checks without news are written to their tasks only. */
const lastCheck = sql<number | null>`(
  select max(last_run_at) from task where task.id in (${taskOfJob('check_job')}, ${taskOfJob('check_ended_job')})
)`.as('last_check');

const dataOfLockedJob = prepared((db, { jobId }: Values<{ jobId: string }>) =>
  db
    .selectFrom('job')
    .select(['data', 'number', savedSettings, lastCheck])
    .where('id', '=', jobId)
    .forNoKeyUpdate(),
);

const dataOfShownJob = prepared((db, { jobId }: Values<{ jobId: string }>) =>
  db
    .selectFrom('job')
    .select(['data', 'number', 'card_drawn_at', savedSettings, lastCheck])
    .where('id', '=', jobId),
);

const pendingCall = prepared((db, { naturalKey }: Values<{ naturalKey: string }>) =>
  db.selectFrom('call').select('id').where('natural_key', '=', naturalKey).where('state', '=', 'pending'),
);

const heldJob = prepared((db, { jobId }: Values<{ jobId: string }>) =>
  db.selectFrom('job').select('id').where('id', '=', jobId).forNoKeyUpdate(),
);

const jobOfThread = prepared((db, { teamId, channelId, threadTs }: Values<Thread>) =>
  db
    .selectFrom('job')
    .select('id')
    .where((eb) => eb.and({ team_id: teamId, channel_id: channelId, thread_ts: threadTs })),
);

const jobKeeping = prepared((db, { teamId, channelId, messageTs }: Values<Channel & { messageTs: string }>) =>
  db
    .selectFrom('job')
    .innerJoin('follow_up', 'follow_up.job_id', 'job.id')
    .select('job.id')
    .where((eb) => eb.and({ 'job.stage': 'card_failed', 'job.team_id': teamId, 'job.channel_id': channelId }))
    .where('follow_up.message_ts', '=', messageTs)
    .where('follow_up.state', '=', 'not_sent'),
);

const openingJobs = prepared((db, { teamId, channelId }: Values<Channel>) =>
  db
    .selectFrom('job')
    .select('requested_at')
    .where((eb) => eb.and({ team_id: teamId, channel_id: channelId }))
    .where('stage', 'in', ['opening', 'draft'])
    .where(
      sql<SqlBool>`(stage = 'opening' or thread_ts is null) and exists (
        select 1 from call where call.job_id = job.id and call.state = 'started'
          and call.kind = case job.stage when 'opening' then 'post_card' else 'announce' end
      )`,
    )
    // Sorted, so that concurrent transactions do not deadlock.
    .orderBy('id')
    .forNoKeyUpdate(),
);

const requestedSince = prepared(
  (
    db,
    { teamId, channelId, requesterId, sinceMs }: Values<Channel & { requesterId: string; sinceMs: number }>,
  ) =>
    db
      .selectFrom('job')
      .select(['data', 'number'])
      .where((eb) => eb.and({ team_id: teamId, channel_id: channelId, requester_id: requesterId }))
      .where('requested_at', '>', sinceMs)
      .orderBy('requested_at', 'desc'),
);

const setCardDrawnAt = prepared((db, { jobId, nowMs }: Values<{ jobId: string; nowMs: number }>) =>
  db.updateTable('job').set({ card_drawn_at: nowMs }).where('id', '=', jobId),
);

const putJobData = prepared((db, { id, data }: Values<Pick<Tables['job'], 'id' | 'data'>>) =>
  db.updateTable('job').set({ data }).where('id', '=', id),
);

const insertJob = prepared((db, row: Values<Omit<Tables['job'], 'card_drawn_at'>>) =>
  db
    .insertInto('job')
    .values({ id: row.id, number: row.number, ...factsOf(row) })
    .onConflict((conflict) => conflict.column('id').doUpdateSet(factsOf(row))),
);

const updateJob = prepared((db, row: Values<Omit<Tables['job'], 'card_drawn_at' | 'number'>>) =>
  db.updateTable('job').set(factsOf(row)).where('id', '=', row.id),
);

function factsOf(row: Values<Omit<Tables['job'], 'card_drawn_at' | 'number'>>) {
  const keys = pick(row, 'team_id', 'channel_id', 'thread_ts', 'project_id', 'requester_id', 'requested_at');
  return { ...keys, ...pick(row, 'stage', 'agent_job_id', 'has_pull_request', 'data') };
}

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
    const row = await dataOfLockedJob.first(this.db, { jobId });
    if (row === undefined) return null;
    const followUps = await unsentOrAt(this.db, jobId, messageTs ?? NO_MESSAGE);
    const job = checked(jobFrom(row), row.last_check);
    this.locked.set(jobId, job);
    const mayBePending = job.stage.kind === 'creating' && job.creates > 0;
    const call = mayBePending ? await pendingCall.first(this.db, { naturalKey: createKey(job) }) : undefined;
    return { job, followUps, saved: savedFrom(row.saved), ...(call && { pendingCreateId: call.id }) };
  }

  /** As `lock`, without the lock, for readers who are told when it changes. */
  async shown(jobId: string): Promise<ShownJob | null> {
    const row = await dataOfShownJob.first(this.db, { jobId });
    if (row === undefined) return null;
    const followUps = await unsentOrAt(this.db, jobId, NO_MESSAGE);
    return {
      job: checked(jobFrom(row), row.last_check),
      followUps,
      saved: savedFrom(row.saved),
      cardDrawnAtMs: row.card_drawn_at,
    };
  }

  /** Locks the job, and reads nothing of it. */
  async hold(jobId: string): Promise<void> {
    await heldJob.first(this.db, { jobId });
  }

  async get(jobId: string): Promise<Job | null> {
    const row = await dataOfJob.first(this.db, { jobId });
    return row === undefined ? null : jobFrom(row);
  }

  async findByThread(teamId: string, channelId: string, threadTs: string): Promise<string | null> {
    const row = await jobOfThread.first(this.db, { teamId, channelId, threadTs });
    return row?.id ?? null;
  }

  /** The job whose card was refused, and whose reply at `messageTs` waits for *Try again*. */
  async findKeeping(teamId: string, channelId: string, messageTs: string): Promise<string | null> {
    const row = await jobKeeping.first(this.db, { teamId, channelId, messageTs });
    return row?.id ?? null;
  }

  /** Locks the channel's jobs whose card may already be posted. Returns when the first was requested, or null. */
  async lockOpening(teamId: string, channelId: string): Promise<number | null> {
    const rows = await openingJobs.rows(this.db, { teamId, channelId });
    return rows.length === 0 ? null : Math.min(...rows.map((row) => row.requested_at));
  }

  /** The person's (null: nobody's) jobs in the channel since then, newest first. Locked, so that concurrent requests see each other. */
  async requestedBy(
    { teamId, channelId, requesterId: personId }: Pick<Job, 'teamId' | 'channelId' | 'requesterId'>,
    sinceMs: number,
  ): Promise<Job[]> {
    const requesterId = personId ?? NOBODY;
    await this.takeAdvisoryLock(`asker:${teamId}:${channelId}:${requesterId}`);
    const rows = await requestedSince.rows(this.db, { teamId, channelId, requesterId, sinceMs });
    return rows.map((row) => jobFrom(row));
  }

  /** Jobs that watch this agent job, newest first. Locked likewise. */
  async ofAgentJob(teamId: string, projectId: string, agentJobId: string): Promise<Job[]> {
    await this.takeAdvisoryLock(`agent_job:${teamId}:${projectId}:${agentJobId}`);
    const rows = await this.db
      .selectFrom('job')
      .select(['data', 'number'])
      .where((eb) => eb.and({ agent_job_id: agentJobId, team_id: teamId, project_id: projectId }))
      .orderBy('requested_at', 'desc')
      .execute();
    return rows.map((row) => jobFrom(row));
  }

  async cardDrawn(jobId: string, nowMs: number): Promise<void> {
    await setCardDrawnAt.change(this.db, { jobId, nowMs });
  }

  /**
   * Writes only what has changed of a locked job: SQLite renews the entry of every index whose columns are
   * set.
   */
  async put(job: Job): Promise<void> {
    const before = this.locked.get(job.id);
    if (before === job) return;
    const data = toJson(job);
    if (before === undefined) await insertJob.change(this.db, { ...keysOf(job), data });
    else if (hasSameKeys(before, job)) await putJobData.change(this.db, { id: job.id, data });
    else await updateJob.change(this.db, { ...keysOf(job), data });
    this.locked.set(job.id, job);
  }
}

function hasSameKeys(before: Job, after: Job): boolean {
  const keys: Readonly<Record<string, unknown>> = keysOf(before);
  return Object.entries(keysOf(after)).every(([name, value]) => keys[name] === value);
}

function keysOf(job: Job) {
  return {
    id: job.id,
    team_id: job.teamId,
    channel_id: job.channelId,
    thread_ts: job.threadTs,
    project_id: job.projectId,
    requester_id: job.requesterId ?? NOBODY,
    requested_at: job.requestedAtMs,
    stage: job.stage.kind,
    agent_job_id: job.agentJob?.id ?? job.watchedAgentJobId,
    has_pull_request: job.announcedPrLink === null ? 0 : 1,
    number: job.number === 0 ? null : job.number,
  };
}
