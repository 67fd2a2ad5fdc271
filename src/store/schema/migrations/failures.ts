import { type Kysely, sql } from 'kysely';

/** Few tasks fail, and an index knows them. */
export async function addFailures(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('task').addColumn('failing_since', 'bigint').execute();
  await db.schema.alterTable('task').addColumn('failure', 'text').execute();
  await db.schema
    .createIndex('task_failing')
    .on('task')
    .columns(['kind', 'failing_since'])
    .where(sql.ref('failing_since'), 'is not', null)
    .execute();
}
