import { type SqlBool, sql } from 'kysely';
import type { BudgetKind, CallPause, InBudgetQueue } from '../../../jobs/schedule/hourly-budget.ts';
import { CLOCKS_DIFFER_MS } from '../../../jobs/schedule/schedule.ts';
import type { Tables } from '../../schema/tables.ts';
import { Table } from '../table.ts';
import { IS_IN_BUDGET } from './calls.ts';
import type { ProjectPause } from './read-budget.ts';

/**
 * A call in flight does not wait, but keeps its place: it may be refused. Replies may be withdrawn while they
 * wait, or wait for the start of their job.
 */
const STILL_WAITS = sql<SqlBool>`(
  exists (
    select 1 from call
    where call.lane = 'agent:' || budget_queue.job_id and ended_at is null and call.kind = budget_queue.kind
  ) or kind = 'send_message' and agent_job_id is not null and exists (
    select 1 from follow_up where follow_up.job_id = budget_queue.job_id and state = 'waiting'
  )
) and not exists (
  select 1 from call where call.lane = 'agent:' || budget_queue.job_id and ended_at is null and state = 'started'
)`;

/** 1 or 0; see `isUnattended`. In JSON, a text has a backslash before each `"`, and no name in a job is a text of others. */
const IS_UNATTENDED = sql<number>`
  case when requester_id = '' and data not like '%"isStartedByPerson":true%' then 1 else 0 end`;

/**
 * Jobs that wait for the hourly budgets, and pauses that the agent API asked for. A job keeps its place, even
 * if the replies of a dropped call go out with another.
 */
export class BudgetQueue extends Table {
  /** Adds the job of a create or message call; a waiting job keeps its place. */
  async join(callId: string): Promise<void> {
    await this.db
      .insertInto('budgetQueue')
      .columns(['jobId', 'kind', 'projectId', 'seq'])
      .expression((eb) =>
        eb
          .selectFrom('call')
          .select(['jobId', sql<BudgetKind>`kind`.as('kind'), 'projectId', 'seq'])
          .where('id', '=', callId)
          .where(IS_IN_BUDGET),
      )
      .onConflict((conflict) => conflict.columns(['jobId', 'kind']).doNothing())
      .execute();
  }

  /** The jobs that still wait, oldest first. */
  async waiting(projectId: string): Promise<InBudgetQueue[]> {
    const rows = await this.stillWaiting(projectId)
      .select(['jobId', 'kind', 'passedUntil as passedUntilMs', IS_UNATTENDED.as('unattended')])
      .orderBy('seq')
      .execute();
    return rows.map(({ unattended, ...waiting }) => ({ ...waiting, isUnattended: unattended === 1 }));
  }

  async firstStart(projectId: string): Promise<string | null> {
    const row = await this.stillWaiting(projectId)
      .select('jobId')
      .where('kind', '=', 'create_job')
      // People first: an unattended start may have to leave them the place.
      .orderBy(IS_UNATTENDED)
      .orderBy('seq')
      .limit(1)
      .executeTakeFirst();
    return row?.jobId ?? null;
  }

  /** The call has an outcome, or is not made. */
  async leave(callId: string): Promise<void> {
    await this.db
      .deleteFrom('budgetQueue')
      .where((eb) =>
        eb.exists(
          eb
            .selectFrom('call')
            .select('id')
            .where('id', '=', callId)
            .whereRef('call.jobId', '=', 'budgetQueue.jobId')
            .whereRef('call.kind', '=', 'budgetQueue.kind'),
        ),
      )
      .execute();
  }

  /** Others pass these until then. */
  async pass(jobs: readonly Pick<InBudgetQueue, 'jobId' | 'kind'>[], untilMs: number): Promise<void> {
    for (const { jobId, kind } of jobs) {
      await this.db
        .updateTable('budgetQueue')
        .set({ passedUntil: untilMs })
        .where((eb) => eb.and({ jobId, kind }))
        .execute();
    }
  }

  /**
   * Null: the agent API has refused none of the project's calls, or has accepted all since. Locks nothing.
   */
  async pause(projectId: string, nowMs: number): Promise<CallPause | null> {
    return pauseFrom(await this.pauseOf(projectId).executeTakeFirst(), nowMs);
  }

  /** The projects whose calls wait because the agent API asked for it. Locks nothing. */
  async paused(nowMs: number): Promise<ProjectPause[]> {
    const rows = await this.db
      .selectFrom('callPause')
      .selectAll()
      .where('until', '>', nowMs)
      .orderBy('projectId')
      .execute();
    return rows
      .filter((row) => pauseFrom(row, nowMs) !== null)
      .map(({ projectId, at: sinceMs, until: untilMs }) => ({ projectId, sinceMs, untilMs }));
  }

  async changePause(
    projectId: string,
    change: (before: CallPause | null) => CallPause | null,
    nowMs: number,
  ): Promise<CallPause | null> {
    const before = pauseFrom(await this.pauseOf(projectId).forUpdate().executeTakeFirst(), nowMs);
    const after = change(before);
    if (after === before) return after;
    if (after === null) {
      await this.db.deleteFrom('callPause').where('projectId', '=', projectId).execute();
      return null;
    }
    const { atMs: at, untilMs: until, refusals } = after;
    await this.upsert('callPause', { projectId }, { at, until, refusals });
    return after;
  }

  private stillWaiting(projectId: string) {
    return this.db
      .selectFrom('budgetQueue')
      .innerJoin('job', 'job.id', 'budgetQueue.jobId')
      .where('budgetQueue.projectId', '=', projectId)
      .where(STILL_WAITS);
  }

  private pauseOf(projectId: string) {
    return this.db.selectFrom('callPause').selectAll().where('projectId', '=', projectId);
  }
}

function pauseFrom(row: Tables['callPause'] | undefined, nowMs: number): CallPause | null {
  // Written by a clock that was ahead, so it is over.
  if (row === undefined || row.at > nowMs + CLOCKS_DIFFER_MS) return null;
  return { atMs: row.at, untilMs: row.until, refusals: row.refusals };
}
