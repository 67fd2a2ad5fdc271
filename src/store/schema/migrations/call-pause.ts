import type { Kysely } from 'kysely';
import type { BudgetKind } from '../../../jobs/schedule/hourly-budget.ts';

export interface BudgetQueueTable {
  job_id: string;
  kind: BudgetKind;
  project_id: string;
  /** That of the job's first call in the queue. */
  seq: number;
  /** See `InBudgetQueue`. */
  passed_until: number | null;
}

/** See `CallPause`. */
export interface CallPauseTable {
  project_id: string;
  at: number;
  until: number;
  refusals: number;
}

/** The agent API may refuse the calls of a project for a time: they wait in line. */
export async function addCallPauses(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('call_pause')
    .addColumn('project_id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('at', 'bigint', (column) => column.notNull())
    .addColumn('until', 'bigint', (column) => column.notNull())
    .addColumn('refusals', 'integer', (column) => column.notNull())
    .execute();
  await db.schema.alterTable('budget_queue').addColumn('passed_until', 'bigint').execute();
}
