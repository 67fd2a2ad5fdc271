import { sql } from 'kysely';
import { dueStates } from '../../jobs/follow-ups/follow-up.ts';
import { type Job, startedStages } from '../../jobs/job.ts';
import { jobFrom } from '../schema/tables.ts';
import { prepared, type Values } from './prepared.ts';
import { Table } from './table.ts';

/** The order of reading. `now`: replies were probably missed. `sweep`: nothing shows that any were. */
const URGENCIES = { now: 0, missed: 1, sweep: 2 } as const;

/** The threads of jobs that are running, or were requested since then: the first `limit` of each workspace. */
export interface LiveThreads {
  /** Null: of all workspaces. */
  readonly teamId: string | null;
  readonly sinceMs: number;
  /** Running jobs first, then the newest. */
  readonly limit: number;
  readonly nowMs: number;
  /** Not read before; threads already queued keep their places. */
  readonly fromMs: number;
  /** Nothing is known to be missed: read after all others, and not if read recently. */
  readonly isSweep: boolean;
}

export interface ThreadToRead {
  readonly jobId: string;
  readonly job: Job;
  /** Nothing shows that replies were missed. */
  readonly isSweep: boolean;
  readonly requestCount: number;
  readonly failures: number;
  readonly seenTs: string | null;
  /** Where this reading began; null before its first page. */
  readonly oldestTs: string | null;
  /** Where the next page begins; null: at `oldestTs`. */
  readonly cursor: string | null;
  /** Replies found so far that were written long ago. */
  readonly oldReplies: number;
  /** The oldest reply that waits to be sent. */
  readonly unsentTs: string | null;
}

export interface PageRead extends Pick<ThreadToRead, 'seenTs' | 'oldestTs' | 'cursor' | 'oldReplies'> {
  /** After the last page: no sweep before that. */
  readonly sweepFromMs: number;
}

const notBegun = { oldest_ts: null, cursor: null, old_replies: 0, failures: 0 };
const unread = { request_count: 1, sweep_from: null, seen_ts: null, ...notBegun };

type Wanted = { readonly jobId: string; readonly teamId: string; readonly nowMs: number };

const requestThread = prepared((db, { jobId, teamId, nowMs }: Values<Wanted>) =>
  db
    .insertInto('catch_up')
    .values({ job_id: jobId, team_id: teamId, urgency: URGENCIES.now, requested_at: nowMs, ...unread })
    .onConflict((conflict) =>
      conflict.column('job_id').doUpdateSet((eb) => ({
        urgency: URGENCIES.now,
        requested_at: nowMs,
        request_count: eb('catch_up.request_count', '+', 1),
      })),
    ),
);

/**
 * Threads to be read for missed replies, and how far each was read. Each workspace reads one page at a time, as Slack
 * limits per workspace: its task is `catch_up`, with the workspace's id as subject.
 */
export class CatchUps extends Table {
  /** Asks for this thread to be read before all others of its workspace. */
  async request({ id, teamId }: Pick<Job, 'id' | 'teamId'>, nowMs: number): Promise<void> {
    await requestThread.change(this.db, { jobId: id, teamId, nowMs });
    await this.schedule(teamId, nowMs);
    // The task may wait for threads that are to be read later.
    await this.tasks.runNow('catch_up', teamId, nowMs);
  }

  /** Asks for live threads to be read. Returns their number in each workspace. */
  async requestLive(threads: LiveThreads): Promise<ReadonlyMap<string, number>> {
    const { rows } = await requestLiveThreads(threads).execute(this.db);
    const counts = new Map<string, number>();
    for (const { team_id } of rows) counts.set(team_id, (counts.get(team_id) ?? 0) + 1);
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

  /** The thread whose turn it is in the workspace, or null. */
  async next(teamId: string, nowMs: number): Promise<ThreadToRead | null> {
    const row = await this.db
      .selectFrom('catch_up')
      .innerJoin('job', 'job.id', 'catch_up.job_id')
      .select([
        'job_id as jobId',
        'job.data',
        'job.number',
        'urgency',
        'failures',
        'request_count as requestCount',
        'seen_ts as seenTs',
      ])
      .select(['oldest_ts as oldestTs', 'cursor', 'old_replies as oldReplies'])
      .select(({ selectFrom }) =>
        selectFrom('follow_up')
          .select(({ fn }) => fn.min('message_ts').as('ts'))
          .whereRef('follow_up.job_id', '=', 'catch_up.job_id')
          .where('state', 'in', dueStates)
          .as('unsentTs'),
      )
      .where('catch_up.team_id', '=', teamId)
      .where('urgency', 'is not', null)
      .where('catch_up.requested_at', '<=', nowMs)
      .orderBy('urgency')
      .orderBy('catch_up.requested_at')
      .limit(1)
      .executeTakeFirst();
    if (row === undefined) return null;
    const { data, number, urgency, ...thread } = row;
    return { ...thread, job: jobFrom({ data, number }), isSweep: urgency === URGENCIES.sweep };
  }

  /** When the workspace's next thread may be read, or null if there is none. */
  async nextAtMs(teamId: string): Promise<number | null> {
    const { at } = await this.db
      .selectFrom('catch_up')
      .select(({ fn }) => fn.min('requested_at').as('at'))
      .where('team_id', '=', teamId)
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
    const { seenTs: seen_ts, oldestTs: oldest_ts, cursor, oldReplies: old_replies } = page;
    const thread = this.change(jobId);
    await (cursor === null
      ? thread.set((eb) => ({
          ...notBegun,
          seen_ts,
          sweep_from: page.sweepFromMs,
          // Requested again while it was read: goes to the end of the queue.
          requested_at: eb
            .case()
            .when('requested_at', '>', nowMs)
            .then(eb.ref('requested_at'))
            .else(nowMs)
            .end(),
          urgency: eb
            .case()
            .when('request_count', '=', requestCount)
            .then(null)
            .else(eb.ref('urgency'))
            .end(),
        }))
      : thread.set({ seen_ts, oldest_ts, cursor, old_replies, failures: 0 })
    ).execute();
    if (cursor === null) await this.sendWaiting(jobId, nowMs);
  }

  /** Retries an unreadable thread at `atMs`; others go on. */
  async retryAt(jobId: string, atMs: number): Promise<void> {
    await this.change(jobId)
      .set((eb) => ({ requested_at: atMs, failures: eb('failures', '+', 1) }))
      .execute();
  }

  /** Slack no longer knows the cursor: restarts the reading at `atMs`, ahead of no others. */
  async dropCursor(jobId: string, atMs: number): Promise<void> {
    const { now, missed } = URGENCIES;
    await this.change(jobId)
      .set((eb) => ({
        oldest_ts: null,
        cursor: null,
        requested_at: atMs,
        urgency: eb.case().when('urgency', '=', now).then(missed).else(eb.ref('urgency')).end(),
      }))
      .execute();
  }

  /** The thread cannot be read: no sweep until then. */
  async giveUp(jobId: string, sweepFromMs: number, nowMs: number): Promise<void> {
    await this.change(jobId)
      .set({ ...notBegun, urgency: null, sweep_from: sweepFromMs })
      .execute();
    await this.sendWaiting(jobId, nowMs);
  }

  async drop(jobId: string): Promise<void> {
    await this.db.deleteFrom('catch_up').where('job_id', '=', jobId).execute();
  }

  /** Replies need not wait for the thread any longer, not even those that have come since it was asked for. */
  private sendWaiting(jobId: string, nowMs: number): Promise<void> {
    return this.tasks.retryNowUnlessLocked('send_follow_ups', jobId, nowMs);
  }

  private change(jobId: string) {
    return this.db.updateTable('catch_up').where('job_id', '=', jobId);
  }

  private schedule(teamId: string, runAtMs: number): Promise<void> {
    return this.tasks.schedule({ kind: 'catch_up', subject: teamId, runAtMs, ifScheduled: 'keep' });
  }
}

/** Returns a row per requested thread. */
function requestLiveThreads({ teamId, sinceMs, limit, nowMs, fromMs, isSweep }: LiveThreads) {
  const urgency = sql.lit(isSweep ? URGENCIES.sweep : URGENCIES.missed);
  const isGoingOn = sql`stage in (${sql.join(startedStages.map((stage) => sql.lit(stage)))})`;
  // A plain `team_id` would make SQLite scan all jobs of the workspace.
  const inTeam = teamId === null ? sql`` : sql`and team_id || '' = ${teamId}`;
  const unread = isSweep
    ? sql`and not exists (select 1 from catch_up c where c.job_id = job.id and c.sweep_from > ${nowMs})`
    : sql``;
  return sql<{ team_id: string }>`
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
