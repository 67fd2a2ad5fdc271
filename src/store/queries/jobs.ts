import type { JobState } from '../../jobs/decision.ts';
import { dueStates } from '../../jobs/follow-up.ts';
import type { Job } from '../../jobs/job.ts';
import type { TakeAdvisoryLock } from '../engines/database.ts';
import { jobFromJson, toJson } from '../schema/json.ts';
import type { Queries, Tables } from '../schema/tables.ts';
import { followUpFromRow, isUnsent } from './follow-ups.ts';
import { prepared, type Values } from './prepared.ts';

export interface Thread {
  readonly teamId: string;
  readonly channelId: string;
  readonly threadTs: string;
}

/** More unsent replies than this wait for their turn: a transaction must stay short. */
const MAX_LOCKED_FOLLOW_UPS = 500;
/** No message has this timestamp. */
const NO_MESSAGE = '';

type Channel = Pick<Thread, 'teamId' | 'channelId'>;

const dataOfJob = prepared((db, { jobId }: Values<{ jobId: string }>) =>
  db.selectFrom('job').select('data').where('id', '=', jobId),
);

const dataOfLockedJob = prepared((db, { jobId }: Values<{ jobId: string }>) =>
  db.selectFrom('job').select('data').where('id', '=', jobId).forUpdate(),
);

const followUpsToLock = prepared((db, { jobId, messageTs }: Values<{ jobId: string; messageTs: string }>) =>
  db
    .selectFrom('follow_up')
    .selectAll()
    .where('job_id', '=', jobId)
    .where((eb) => eb.or([isUnsent, eb('message_ts', '=', messageTs)]))
    // Those that go out by themselves first: others may pile up for as long as nobody retries them.
    .orderBy((eb) =>
      eb
        .case()
        .when('message_ts', '=', messageTs)
        .then(0)
        .when('state', 'in', dueStates)
        .then(1)
        .else(2)
        .end(),
    )
    .orderBy('message_ts')
    .limit(MAX_LOCKED_FOLLOW_UPS),
);

const jobOfThread = prepared((db, { teamId, channelId, threadTs }: Values<Thread>) =>
  db
    .selectFrom('job')
    .select('id')
    .where('team_id', '=', teamId)
    .where('channel_id', '=', channelId)
    .where('thread_ts', '=', threadTs),
);

const jobKeeping = prepared((db, { teamId, channelId, messageTs }: Values<Channel & { messageTs: string }>) =>
  db
    .selectFrom('job')
    .innerJoin('follow_up', 'follow_up.job_id', 'job.id')
    .select('job.id')
    .where('job.stage', '=', 'unopened')
    .where('job.team_id', '=', teamId)
    .where('job.channel_id', '=', channelId)
    .where('follow_up.message_ts', '=', messageTs)
    .where('follow_up.state', '=', 'not_sent'),
);

const openingJobs = prepared((db, { teamId, channelId }: Values<Channel>) =>
  db
    .selectFrom('job')
    .select('requested_at')
    .where('team_id', '=', teamId)
    .where('channel_id', '=', channelId)
    .where('stage', '=', 'opening')
    .where((eb) =>
      eb.exists(
        eb
          .selectFrom('call')
          .select('call.id')
          .whereRef('call.job_id', '=', 'job.id')
          .where('call.kind', '=', 'post_card')
          .where('call.state', '=', 'started'),
      ),
    )
    // In one order, so that two transactions that lock them do not deadlock.
    .orderBy('id')
    .forUpdate(),
);

const requestedSince = prepared(
  (
    db,
    { teamId, channelId, requesterId, sinceMs }: Values<Channel & { requesterId: string; sinceMs: number }>,
  ) =>
    db
      .selectFrom('job')
      .select('data')
      .where('team_id', '=', teamId)
      .where('channel_id', '=', channelId)
      .where('requester_id', '=', requesterId)
      .where('requested_at', '>', sinceMs)
      .orderBy('requested_at', 'desc'),
);

const cardDrawnAt = prepared((db, { jobId }: Values<{ jobId: string }>) =>
  db.selectFrom('job').select('card_drawn_at').where('id', '=', jobId),
);

const setCardDrawnAt = prepared((db, { jobId, nowMs }: Values<{ jobId: string; nowMs: number }>) =>
  db.updateTable('job').set({ card_drawn_at: nowMs }).where('id', '=', jobId),
);

const putJob = prepared((db, row: Values<Omit<Tables['job'], 'card_drawn_at'>>) => {
  const facts = {
    team_id: row.team_id,
    channel_id: row.channel_id,
    thread_ts: row.thread_ts,
    project_id: row.project_id,
    requester_id: row.requester_id,
    requested_at: row.requested_at,
    stage: row.stage,
    agent_job_id: row.agent_job_id,
    has_pull_request: row.has_pull_request,
    data: row.data,
  };
  return db
    .insertInto('job')
    .values({ id: row.id, ...facts })
    .onConflict((conflict) => conflict.column('id').doUpdateSet(facts));
});

export class Jobs {
  private readonly db: Queries;
  private readonly takeAdvisoryLock: TakeAdvisoryLock;

  constructor(db: Queries, takeAdvisoryLock: TakeAdvisoryLock) {
    this.db = db;
    this.takeAdvisoryLock = takeAdvisoryLock;
  }

  /**
   * The job with its follow-ups that may still be sent, locked until the transaction ends: at most 500, those
   * that go out by themselves first, and of these the oldest; and the one at `messageTs`, whatever became of it.
   */
  async lock(jobId: string, messageTs: string | null = null): Promise<JobState | null> {
    const row = await dataOfLockedJob.first(this.db, { jobId });
    if (row === undefined) return null;
    const followUps = await followUpsToLock.rows(this.db, { jobId, messageTs: messageTs ?? NO_MESSAGE });
    const inOrder = followUps.map(followUpFromRow).sort((a, b) => (a.messageTs < b.messageTs ? -1 : 1));
    return { job: jobFromJson(row.data), followUps: inOrder };
  }

  async get(jobId: string): Promise<Job | null> {
    const row = await dataOfJob.first(this.db, { jobId });
    return row === undefined ? null : jobFromJson(row.data);
  }

  /** The id of the job whose thread this is. */
  async findByThread(teamId: string, channelId: string, threadTs: string): Promise<string | null> {
    const row = await jobOfThread.first(this.db, { teamId, channelId, threadTs });
    return row?.id ?? null;
  }

  /** The id of the job whose card was refused, and with which the reply at `messageTs` waits for *Try again*. */
  async findKeeping(teamId: string, channelId: string, messageTs: string): Promise<string | null> {
    const row = await jobKeeping.first(this.db, { teamId, channelId, messageTs });
    return row?.id ?? null;
  }

  /**
   * Locks the channel's jobs whose card may be posted without our knowing it, until the transaction ends. Returns
   * when the first of them was asked for, or null if there is none.
   */
  async lockOpening(teamId: string, channelId: string): Promise<number | null> {
    const rows = await openingJobs.rows(this.db, { teamId, channelId });
    return rows.length === 0 ? null : Math.min(...rows.map((row) => row.requested_at));
  }

  /**
   * What the person asked for in the channel since then, newest first. Takes a lock: two requests at
   * the same time see each other.
   */
  async requestedBy(
    {
      teamId,
      channelId,
      requesterId,
    }: { readonly teamId: string; readonly channelId: string; readonly requesterId: string },
    sinceMs: number,
  ): Promise<Job[]> {
    await this.takeAdvisoryLock(`asker:${teamId}:${channelId}:${requesterId}`);
    const rows = await requestedSince.rows(this.db, { teamId, channelId, requesterId, sinceMs });
    return rows.map((row) => jobFromJson(row.data));
  }

  /** The jobs that watch this agent job, newest first. Takes a lock. */
  async ofAgentJob(teamId: string, projectId: string, agentJobId: string): Promise<Job[]> {
    await this.takeAdvisoryLock(`agent_job:${teamId}:${projectId}:${agentJobId}`);
    const rows = await this.db
      .selectFrom('job')
      .select('data')
      .where('agent_job_id', '=', agentJobId)
      .where('team_id', '=', teamId)
      .where('project_id', '=', projectId)
      .orderBy('requested_at', 'desc')
      .execute();
    return rows.map((row) => jobFromJson(row.data));
  }

  /** When the job's card was edited last, or null. */
  async cardDrawnAtMs(jobId: string): Promise<number | null> {
    const row = await cardDrawnAt.first(this.db, { jobId });
    return row?.card_drawn_at ?? null;
  }

  /** Records that the card is edited at this time. */
  async cardDrawn(jobId: string, nowMs: number): Promise<void> {
    await setCardDrawnAt.change(this.db, { jobId, nowMs });
  }

  async put(job: Job): Promise<void> {
    await putJob.change(this.db, {
      id: job.id,
      team_id: job.teamId,
      channel_id: job.channelId,
      thread_ts: job.threadTs,
      project_id: job.projectId,
      requester_id: job.requesterId,
      requested_at: job.requestedAtMs,
      stage: job.stage.kind,
      agent_job_id: job.agentJob?.id ?? job.attachedTo,
      has_pull_request: job.announcedPrLink === null ? 0 : 1,
      data: toJson(job),
    });
  }
}
