import { type Kysely, sql } from 'kysely';

/** Threads that are to be read for missed replies, and how far each of them is read. */
export async function addCatchUps(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('catch_up')
    .addColumn('job_id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('team_id', 'text', (column) => column.notNull())
    .addColumn('urgency', 'integer')
    .addColumn('wanted_at', 'bigint', (column) => column.notNull())
    .addColumn('wishes', 'bigint', (column) => column.notNull())
    .addColumn('sweep_from', 'bigint')
    .addColumn('seen_ts', 'text')
    .addColumn('oldest_ts', 'text')
    .addColumn('cursor', 'text')
    .addColumn('old_replies', 'integer', (column) => column.notNull())
    .addColumn('failures', 'integer', (column) => column.notNull())
    .execute();
  await db.schema
    .createIndex('catch_up_wanted')
    .on('catch_up')
    .columns(['team_id', 'urgency', 'wanted_at'])
    .where(sql.ref('urgency'), 'is not', null)
    .execute();
  // They were about a thread each. Every start plans to read the threads.
  await sql`delete from task where kind = 'catch_up'`.execute(db);
}
