import { type Selectable, type SqlBool, sql } from 'kysely';
import type { BudgetKind, CallPause, InBudgetQueue } from '../../../jobs/schedule/hourly-budget.ts';
import { CLOCKS_DIFFER_MS } from '../../../jobs/schedule/schedule.ts';
import type { Tables } from '../../schema/tables.ts';
import { prepared, type Values } from '../prepared.ts';
import { Table } from '../table.ts';
import type { ProjectPause } from './read-budget.ts';

const joinQueue = prepared((db, { callId }: Values<{ callId: string }>) =>
  db
    .insertInto('budget_queue')
    .columns(['job_id', 'kind', 'project_id', 'seq'])
    .expression((eb) =>
      eb
        .selectFrom('call')
        .select(['job_id', sql<BudgetKind>`kind`.as('kind'), 'project_id', 'seq'])
        .where('id', '=', callId)
        .where('kind', 'in', ['create_job', 'send_message']),
    )
    .onConflict((conflict) => conflict.columns(['job_id', 'kind']).doNothing()),
);

const leaveQueue = prepared((db, { callId }: Values<{ callId: string }>) =>
  db
    .deleteFrom('budget_queue')
    .where((eb) =>
      eb.exists(
        eb
          .selectFrom('call')
          .select('id')
          .where('id', '=', callId)
          .whereRef('call.job_id', '=', 'budget_queue.job_id')
          .whereRef('call.kind', '=', 'budget_queue.kind'),
      ),
    ),
);

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

const inQueue = prepared((db, { projectId }: Values<{ projectId: string }>) =>
  db
    .selectFrom('budget_queue')
    .innerJoin('job', 'job.id', 'budget_queue.job_id')
    .select(['job_id as jobId', 'kind', 'passed_until as passedUntilMs', IS_UNATTENDED.as('unattended')])
    .where('budget_queue.project_id', '=', projectId)
    .where(STILL_WAITS)
    .orderBy('seq'),
);

const firstStart = prepared((db, { projectId }: Values<{ projectId: string }>) =>
  db
    .selectFrom('budget_queue')
    .innerJoin('job', 'job.id', 'budget_queue.job_id')
    .select('job_id as jobId')
    .where('budget_queue.project_id', '=', projectId)
    .where('kind', '=', 'create_job')
    .where(STILL_WAITS)
    // People first: an unattended start may have to leave them the place.
    .orderBy(IS_UNATTENDED)
    .orderBy('seq')
    .limit(1),
);

const pauseOf = prepared((db, { projectId }: Values<{ projectId: string }>) =>
  db.selectFrom('call_pause').selectAll().where('project_id', '=', projectId),
);

const lockedPauseOf = prepared((db, { projectId }: Values<{ projectId: string }>) =>
  db.selectFrom('call_pause').selectAll().where('project_id', '=', projectId).forUpdate(),
);

/**
 * Jobs that wait for the hourly budgets, and pauses that the agent API asked for. A job keeps its place, even
 * if the replies of a dropped call go out with another.
 */
export class BudgetQueue extends Table {
  /** Adds the job of a create or message call; a waiting job keeps its place. */
  async join(callId: string): Promise<void> {
    await joinQueue.change(this.db, { callId });
  }

  /** The jobs that still wait, oldest first. */
  async waiting(projectId: string): Promise<InBudgetQueue[]> {
    const rows = await inQueue.rows(this.db, { projectId });
    return rows.map(({ unattended, ...waiting }) => ({ ...waiting, isUnattended: unattended === 1 }));
  }

  async firstStart(projectId: string): Promise<string | null> {
    const row = await firstStart.first(this.db, { projectId });
    return row?.jobId ?? null;
  }

  /** The call has an outcome, or is not made. */
  async leave(callId: string): Promise<void> {
    await leaveQueue.change(this.db, { callId });
  }

  /** Others pass these until then. */
  async pass(jobs: readonly Pick<InBudgetQueue, 'jobId' | 'kind'>[], untilMs: number): Promise<void> {
    for (const { jobId, kind } of jobs) {
      await this.db
        .updateTable('budget_queue')
        .set({ passed_until: untilMs })
        .where((eb) => eb.and({ job_id: jobId, kind }))
        .execute();
    }
  }

  /**
   * Null: the agent API has refused none of the project's calls, or has accepted all since. Locks nothing.
   */
  async pause(projectId: string, nowMs: number): Promise<CallPause | null> {
    return pauseFrom(await pauseOf.first(this.db, { projectId }), nowMs);
  }

  /** The projects whose calls wait because the agent API asked for it. Locks nothing. */
  async paused(nowMs: number): Promise<ProjectPause[]> {
    const rows = await this.db
      .selectFrom('call_pause')
      .selectAll()
      .where('until', '>', nowMs)
      .orderBy('project_id')
      .execute();
    return rows.flatMap((row) => {
      const pause = pauseFrom(row, nowMs);
      return pause === null
        ? []
        : [{ projectId: row.project_id, sinceMs: pause.atMs, untilMs: pause.untilMs }];
    });
  }

  async changePause(
    projectId: string,
    change: (before: CallPause | null) => CallPause | null,
    nowMs: number,
  ): Promise<CallPause | null> {
    const before = pauseFrom(await lockedPauseOf.first(this.db, { projectId }), nowMs);
    const after = change(before);
    if (after === before) return after;
    if (after === null) {
      await this.db.deleteFrom('call_pause').where('project_id', '=', projectId).execute();
      return null;
    }
    const columns = { at: after.atMs, until: after.untilMs, refusals: after.refusals };
    await this.db
      .insertInto('call_pause')
      .values({ project_id: projectId, ...columns })
      .onConflict((conflict) => conflict.column('project_id').doUpdateSet(columns))
      .execute();
    return after;
  }
}

function pauseFrom(row: Selectable<Tables['call_pause']> | undefined, nowMs: number): CallPause | null {
  // Written by a clock that was ahead, so it is over.
  if (row === undefined || row.at > nowMs + CLOCKS_DIFFER_MS) return null;
  return { atMs: row.at, untilMs: row.until, refusals: row.refusals };
}
