import type { Kysely } from 'kysely';

/** Tokens with which steps of workflows are completed, of jobs that such steps asked for. */
export async function addStepTokens(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('step_token')
    .addColumn('job_id', 'text', (column) =>
      column.primaryKey().notNull().references('job.id').onDelete('cascade'),
    )
    .addColumn('token', 'text', (column) => column.notNull())
    .addColumn('until', 'bigint', (column) => column.notNull())
    .execute();
}
