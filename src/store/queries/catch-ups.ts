import { sql } from 'kysely';
import { dueStates } from '../../jobs/follow-ups/follow-up.ts';
import { type Job, startedStages } from '../../jobs/job.ts';
import { jobFrom } from '../schema/tables.ts';
import { Table } from './table.ts';

/** The order of reading. `now`: replies were probably missed. `sweep`: nothing shows that any were. */
const URGENCIES = { now: 0, missed: 1, sweep: 2 } as const;

/** The threads of jobs that are running, or were requested since then: the first `limit` of each workspace. */
export type LiveThreads = Readonly<{
  /** Null: of all workspaces. */
  teamId: string | null;
  sinceMs: number;
  /** Running jobs first, then the newest. */
  limit: number;
  nowMs: number;
  /** Not read before; threads already queued keep their places. */
  fromMs: number;
  /** Nothing is known to be missed: read after all others, and not if read recently. */
  isSweep: boolean;
}>;

export type ThreadToRead = Readonly<{
  jobId: string;
  job: Job;
  isSweep: boolean;
  requestCount: number;
  failures: number;
  seenTs: string | null;
  /** Where this reading began; null before its first page. */
  oldestTs: string | null;
  /** Where the next page begins; null: at `oldestTs`. */
  cursor: string | null;
  /** Replies found so far that were written long ago. */
  oldReplies: number;
  /** The oldest reply that waits to be sent. */
  unsentTs: string | null;
}>;

export interface PageRead extends Pick<ThreadToRead, 'seenTs' | 'oldestTs' | 'cursor' | 'oldReplies'> {
  /** After the last page: no sweep before that. */
  readonly sweepFromMs: number;
}

const notBegun = { oldestTs: null, cursor: null, oldReplies: 0, failures: 0 };
const unread = { requestCount: 1, sweepFrom: null, seenTs: null, ...notBegun };

/**
 * Threads to be read for missed replies, and how far each was read. Each workspace reads one page at a time, as Slack
 * limits per workspace: its task is `catch_up`, with the workspace's id as subject.
 */
export class CatchUps extends Table {
  /** Asks for this thread to be read before all others of its workspace. */
  async request({ id, teamId }: Pick<Job, 'id' | 'teamId'>, nowMs: number): Promise<void> {
    const request = { urgency: URGENCIES.now, requestedAt: nowMs };
    await this.db
      .insertInto('catchUp')
      .values({ jobId: id, teamId, ...request, ...unread })
      .onConflict((conflict) =>
        conflict
          .column('jobId')
          .doUpdateSet((eb) => ({ ...request, requestCount: eb('catchUp.requestCount', '+', 1) })),
      )
      .execute();
    await this.schedule(teamId, nowMs);
    // The task may wait for threads that are to be read later.
    await this.tasks.runNow('catch_up', teamId, nowMs);
  }

  /** Asks for live threads to be read. Returns their number in each workspace. */
  async requestLive(threads: LiveThreads): Promise<ReadonlyMap<string, number>> {
    const { rows } = await requestLiveThreads(threads).execute(this.db);
    const counts = new Map<string, number>();
    for (const { teamId } of rows) counts.set(teamId, (counts.get(teamId) ?? 0) + 1);
    // Sorted, so that concurrent transactions do not deadlock.
    for (const teamId of [...counts.keys()].sort()) await this.schedule(teamId, threads.fromMs);
    return counts;
  }

  /** Moves the thread to the front, as replies wait for it. Returns whether it may have missed replies. */
  async readFirst(jobId: string): Promise<boolean> {
    const { numUpdatedRows } = await this.change(jobId)
      .set({ urgency: URGENCIES.now })
      .where('urgency', '<', URGENCIES.sweep)
      .executeTakeFirst();
    return numUpdatedRows > 0n;
  }

  async next(teamId: string, nowMs: number): Promise<ThreadToRead | null> {
    const row = await this.db
      .selectFrom('catchUp')
      .innerJoin('job', 'job.id', 'catchUp.jobId')
      .select(['jobId', 'job.data', 'job.number', 'urgency', 'failures', 'requestCount', 'seenTs'])
      .select(['oldestTs', 'cursor', 'oldReplies'])
      .select(({ selectFrom }) =>
        selectFrom('followUp')
          .select(({ fn }) => fn.min('messageTs').as('ts'))
          .whereRef('followUp.jobId', '=', 'catchUp.jobId')
          .where('state', 'in', dueStates)
          .as('unsentTs'),
      )
      .where('catchUp.teamId', '=', teamId)
      .where('urgency', 'is not', null)
      .where('catchUp.requestedAt', '<=', nowMs)
      .orderBy('urgency')
      .orderBy('catchUp.requestedAt')
      .limit(1)
      .executeTakeFirst();
    if (row === undefined) return null;
    const { data, number, urgency, ...thread } = row;
    return { ...thread, job: jobFrom({ data, number }), isSweep: urgency === URGENCIES.sweep };
  }

  async nextAtMs(teamId: string): Promise<number | null> {
    const { at } = await this.db
      .selectFrom('catchUp')
      .select(({ fn }) => fn.min('requestedAt').as('at'))
      .where('teamId', '=', teamId)
      .where('urgency', 'is not', null)
      .executeTakeFirstOrThrow();
    return at;
  }

  /** Records a page. After the last one (no cursor), the thread is read again only if requested meanwhile. */
  async pageRead(
    { jobId, requestCount }: Pick<ThreadToRead, 'jobId' | 'requestCount'>,
    page: PageRead,
    nowMs: number,
  ): Promise<void> {
    const { seenTs, oldestTs, cursor, oldReplies } = page;
    const thread = this.change(jobId);
    await (cursor === null
      ? thread.set((eb) => ({
          ...notBegun,
          seenTs,
          sweepFrom: page.sweepFromMs,
          // Requested again while it was read: goes to the end of the queue.
          requestedAt: eb
            .case()
            .when('requestedAt', '>', nowMs)
            .then(eb.ref('requestedAt'))
            .else(nowMs)
            .end(),
          urgency: eb.case().when('requestCount', '=', requestCount).then(null).else(eb.ref('urgency')).end(),
        }))
      : thread.set({ seenTs, oldestTs, cursor, oldReplies, failures: 0 })
    ).execute();
    if (cursor === null) await this.sendWaiting(jobId, nowMs);
  }

  /** Retries an unreadable thread at `atMs`; others go on. */
  async retryAt(jobId: string, atMs: number): Promise<void> {
    await this.change(jobId)
      .set((eb) => ({ requestedAt: atMs, failures: eb('failures', '+', 1) }))
      .execute();
  }

  /** Slack no longer knows the cursor: restarts the reading at `atMs`, ahead of no others. */
  async dropCursor(jobId: string, atMs: number): Promise<void> {
    const { now, missed } = URGENCIES;
    await this.change(jobId)
      .set((eb) => ({
        oldestTs: null,
        cursor: null,
        requestedAt: atMs,
        urgency: eb.case().when('urgency', '=', now).then(missed).else(eb.ref('urgency')).end(),
      }))
      .execute();
  }

  /** The thread cannot be read: no sweep until then. */
  async giveUp(jobId: string, sweepFromMs: number, nowMs: number): Promise<void> {
    await this.change(jobId)
      .set({ ...notBegun, urgency: null, sweepFrom: sweepFromMs })
      .execute();
    await this.sendWaiting(jobId, nowMs);
  }

  async drop(jobId: string): Promise<void> {
    await this.db.deleteFrom('catchUp').where('jobId', '=', jobId).execute();
  }

  /** Replies need not wait for the thread any longer, not even those that have come since it was asked for. */
  private sendWaiting(jobId: string, nowMs: number): Promise<void> {
    return this.tasks.runNowUnlessLocked('send_follow_ups', jobId, nowMs, 1);
  }

  private change(jobId: string) {
    return this.db.updateTable('catchUp').where('jobId', '=', jobId);
  }

  private schedule(teamId: string, runAtMs: number): Promise<void> {
    return this.tasks.schedule({ kind: 'catch_up', subject: teamId, runAtMs, ifScheduled: 'keep' });
  }
}

function requestLiveThreads({ teamId, sinceMs, limit, nowMs, fromMs, isSweep }: LiveThreads) {
  const urgency = sql.lit(isSweep ? URGENCIES.sweep : URGENCIES.missed);
  const isGoingOn = sql`stage in (${sql.join(startedStages.map((stage) => sql.lit(stage)))})`;
  // A plain `team_id` would make SQLite scan all jobs of the workspace.
  const inTeam = teamId === null ? sql`` : sql`and team_id || '' = ${teamId}`;
  const unread = isSweep
    ? sql`and not exists (select 1 from catch_up c where c.job_id = job.id and c.sweep_from > ${nowMs})`
    : sql``;
  return sql<{ teamId: string }>`
    insert into catch_up (job_id, team_id, urgency, requested_at, request_count, old_replies, failures)
    select id, team_id, ${urgency}, cast(${fromMs} as bigint) + place - 1, 1, 0, 0
    from (
      select id, team_id, row_number() over (
        partition by team_id order by case when ${isGoingOn} then 0 else 1 end, requested_at desc
      ) as place
      from job
      where thread_ts is not null and (${isGoingOn} or requested_at > ${sinceMs}) ${inTeam} ${unread}
    ) as live
    where place <= ${limit}
    order by id
    on conflict (job_id) do update set
      urgency = case when catch_up.urgency <= ${urgency} then catch_up.urgency else ${urgency} end,
      requested_at = case
        when catch_up.urgency <= ${urgency} then catch_up.requested_at
        else excluded.requested_at
      end,
      request_count = catch_up.request_count + 1
    where ${isSweep ? sql`catch_up.urgency is null` : sql`1 = 1`}
    returning team_id`;
}
