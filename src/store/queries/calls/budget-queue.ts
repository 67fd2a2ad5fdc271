import { type SqlBool, sql } from 'kysely';
import type { BudgetKind, InBudgetQueue } from '../../../jobs/schedule/hourly-budget.ts';
import { Table } from '../../schema/tables.ts';
import { prepared, type Values } from '../prepared.ts';

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

const leaveQueue = prepared((db, { jobId, kind }: Values<Omit<InBudgetQueue, 'isUnattended'>>) =>
  db.deleteFrom('budget_queue').where('job_id', '=', jobId).where('kind', '=', kind),
);

/** Replies may be withdrawn while they wait. */
const STILL_WAITS = sql<SqlBool>`(
  exists (
    select 1 from call
    where call.lane = 'agent:' || budget_queue.job_id and ended_at is null and call.kind = budget_queue.kind
  ) or kind = 'send_message' and exists (
    select 1 from follow_up where follow_up.job_id = budget_queue.job_id and state = 'waiting'
  )
)`;

/** 1 or 0; see `isUnattended`. In JSON, a text has a backslash before each `"`, and no name in a job is a text of others. */
const IS_UNATTENDED = sql<number>`
  case when requester_id = '' and data not like '%"isStartedByPerson":true%' then 1 else 0 end`;

const inQueue = prepared((db, { projectId }: Values<{ projectId: string }>) =>
  db
    .selectFrom('budget_queue')
    .innerJoin('job', 'job.id', 'budget_queue.job_id')
    .select(['job_id as jobId', 'kind', IS_UNATTENDED.as('unattended')])
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
    // People first: a start that nobody asked for may have to leave the place to them.
    .orderBy(IS_UNATTENDED)
    .orderBy('seq')
    .limit(1),
);

/**
 * Jobs that wait for the hourly budgets. A job keeps its place, even if the replies of a dropped call go out with
 * another.
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

  /** The job whose start has waited for longest, or null. */
  async firstStart(projectId: string): Promise<string | null> {
    const row = await firstStart.first(this.db, { projectId });
    return row?.jobId ?? null;
  }

  async leave(jobId: string, kind: BudgetKind): Promise<void> {
    await leaveQueue.change(this.db, { jobId, kind });
  }
}
