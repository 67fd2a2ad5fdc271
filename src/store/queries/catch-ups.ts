import { sql } from 'kysely';
import { dueStates } from '#jobs/follow-ups/follow-up.ts';
import { type Job, startedStages } from '#jobs/job.ts';
import { jobColumns, jobFrom, literals, type Tables } from '../schema/tables.ts';
import { type ColumnValues, Table } from './table.ts';

/** `now`: replies were probably missed. `sweep`: no sign of it. */
const URGENCIES = { now: 0, missed: 1, sweep: 2 } as const;

export type LiveThreads = Readonly<{
  teamId: string | null;
  sinceMs: number;
  limit: number;
  nowMs: number;
  fromMs: number;
  /** Read last, and not if read recently. */
  isSweep: boolean;
}>;

export type ThreadToRead = NonNullable<Awaited<ReturnType<CatchUps['next']>>>;

type ReadProgress = Pick<Tables['catchUp'], 'seenTs' | 'oldestTs' | 'cursor' | 'oldReplies'>;

const notBegun = { oldestTs: null, cursor: null, oldReplies: 0, failures: 0 };
const unread = { requestCount: 1, sweepFrom: null, seenTs: null, ...notBegun };

/** Slack limits reads per workspace, so each has one `catch_up` task. */
export class CatchUps extends Table {
  async request({ id: jobId, teamId }: Pick<Job, 'id' | 'teamId'>, nowMs: number): Promise<void> {
    const request = { urgency: URGENCIES.now, requestedAt: nowMs };
    const requestCount = sql<number>`catch_up.request_count + 1`;
    await this.upsert('catchUp', { jobId }, { teamId, ...unread, ...request }, { ...request, requestCount });
    await this.schedule(teamId, nowMs);
    // The task may wait for threads due later.
    await this.tasks.runNowUnlessLocked('catch_up', teamId, nowMs);
  }

  async requestLive({ teamId, sinceMs, limit, nowMs, fromMs, isSweep }: LiveThreads) {
    const urgency = sql.lit(isSweep ? URGENCIES.sweep : URGENCIES.missed);
    const isGoingOn = sql`stage in (${literals(startedStages)})`;
    // For `|| ''`, see `JobLists.findByIdentifier`.
    const inTeam = teamId === null ? sql`` : sql`and team_id || '' = ${teamId}`;
    const isUnread = isSweep
      ? sql`and not exists (select 1 from catch_up c where c.job_id = job.id and c.sweep_from > ${nowMs})`
      : sql``;
    const { rows } = await sql<{ teamId: string }>`
      insert into catch_up (job_id, team_id, urgency, requested_at, request_count, old_replies, failures)
      select id, team_id, ${urgency}, cast(${fromMs} as bigint) + place - 1, 1, 0, 0
      from (
        select id, team_id, row_number() over (
          partition by team_id order by case when ${isGoingOn} then 0 else 1 end, requested_at desc
        ) as place
        from job
        where thread_ts is not null and (${isGoingOn} or requested_at > ${sinceMs}) ${inTeam} ${isUnread}
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
      returning team_id`.execute(this.db);
    const counts = new Map<string, number>();
    for (const row of rows) counts.set(row.teamId, (counts.get(row.teamId) ?? 0) + 1);
    // Sorted to avoid deadlocks.
    for (const found of [...counts.keys()].sort()) await this.schedule(found, fromMs);
    return counts;
  }

  /** Returns whether replies may be missing. */
  readFirst(jobId: string): Promise<boolean> {
    const { now, sweep } = URGENCIES;
    return this.update('catchUp', { jobId }, { urgency: now }, sql`urgency < ${sweep}`);
  }

  async next(teamId: string, nowMs: number) {
    const row = await this.db
      .selectFrom('catchUp')
      .innerJoin('job', 'job.id', 'catchUp.jobId')
      .selectAll('catchUp')
      .select(jobColumns)
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
    return { ...row, job: jobFrom(row), isSweep: row.urgency === URGENCIES.sweep };
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

  /** `cursor` null: the thread is read again only if requested meanwhile. */
  async pageRead(
    { jobId, requestCount }: Pick<ThreadToRead, 'jobId' | 'requestCount'>,
    { sweepFromMs, ...page }: ReadProgress & { readonly sweepFromMs: number },
    nowMs: number,
  ): Promise<void> {
    if (page.cursor !== null) {
      await this.update('catchUp', { jobId }, { ...page, failures: 0 });
      return;
    }
    await this.end(jobId, sweepFromMs, nowMs, {
      seenTs: page.seenTs,
      requestedAt: sql`case when requested_at > ${nowMs} then requested_at else ${nowMs} end`,
      urgency: sql`case when request_count = ${requestCount} then null else urgency end`,
    });
  }

  async retryAt(jobId: string, atMs: number): Promise<void> {
    await this.update('catchUp', { jobId }, { requestedAt: atMs, failures: sql`failures + 1` });
  }

  /** Slack rejects the cursor: restarts at `atMs`, without priority. */
  async dropCursor(jobId: string, atMs: number): Promise<void> {
    const { now, missed } = URGENCIES;
    const urgency = sql<number>`case when urgency = ${now} then ${missed} else urgency end`;
    await this.update('catchUp', { jobId }, { oldestTs: null, cursor: null, requestedAt: atMs, urgency });
  }

  async giveUp(jobId: string, sweepFromMs: number, nowMs: number): Promise<void> {
    await this.end(jobId, sweepFromMs, nowMs, { urgency: null });
  }

  async drop(jobId: string): Promise<void> {
    await this.delete('catchUp', { jobId });
  }

  /** Releases the replies that wait for the thread. */
  private async end(jobId: string, sweepFrom: number, nowMs: number, changes: ColumnValues<'catchUp'>) {
    await this.update('catchUp', { jobId }, { ...notBegun, sweepFrom, ...changes });
    await this.tasks.runNowUnlessLocked('send_follow_ups', jobId, nowMs, 1);
  }

  private schedule(teamId: string, runAtMs: number) {
    return this.tasks.schedule({ kind: 'catch_up', subject: teamId, runAtMs, ifScheduled: 'keep' });
  }
}
