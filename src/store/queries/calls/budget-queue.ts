import { type SqlBool, sql } from 'kysely';
import type { BudgetKind } from '../../../jobs/hourly-budget.ts';
import type { Queries } from '../../schema/tables.ts';
import { prepared, type Values } from '../prepared.ts';

export interface Waiting {
  readonly jobId: string;
  readonly kind: BudgetKind;
}

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

const leaveQueue = prepared((db, { jobId, kind }: Values<Waiting>) =>
  db.deleteFrom('budget_queue').where('job_id', '=', jobId).where('kind', '=', kind),
);

/** Replies may be withdrawn while they wait. */
const inQueue = prepared((db, { projectId }: Values<{ projectId: string }>) =>
  db
    .selectFrom('budget_queue')
    .select(['job_id', 'kind'])
    .where('project_id', '=', projectId)
    .where((eb) =>
      eb.or([
        eb.exists(
          eb
            .selectFrom('call')
            .select('call.id')
            .where('call.lane', '=', sql<string>`'agent:' || budget_queue.job_id`)
            .where('call.ended_at', 'is', null)
            .where(sql<SqlBool>`call.kind = budget_queue.kind`),
        ),
        eb.and([
          eb('kind', '=', 'send_message'),
          eb.exists(
            eb
              .selectFrom('follow_up')
              .select('follow_up.id')
              .whereRef('follow_up.job_id', '=', 'budget_queue.job_id')
              .where('follow_up.state', '=', 'waiting'),
          ),
        ]),
      ]),
    )
    .orderBy('seq'),
);

/**
 * The jobs that wait for the hourly budgets, oldest first. A job keeps its place while it waits, even where the
 * replies of a call that was not made go out with another.
 */
export class BudgetQueue {
  private readonly db: Queries;

  constructor(db: Queries) {
    this.db = db;
  }

  /** Adds the job of a create or message call; a job that waits already keeps its place. */
  async join(callId: string): Promise<void> {
    await joinQueue.change(this.db, { callId });
  }

  /** The jobs that still wait, and for which kind of call; the oldest first. */
  async waiting(projectId: string): Promise<Waiting[]> {
    const rows = await inQueue.rows(this.db, { projectId });
    return rows.map(({ job_id: jobId, kind }) => ({ jobId, kind }));
  }

  async leave(jobId: string, kind: BudgetKind): Promise<void> {
    await leaveQueue.change(this.db, { jobId, kind });
  }
}
