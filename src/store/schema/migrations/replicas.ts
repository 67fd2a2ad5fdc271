import type { Kysely } from 'kysely';

/** The processes that share the store, and their connections to Slack. */
export async function addReplicas(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('replica')
    .addColumn('id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('connections', 'integer', (column) => column.notNull())
    .addColumn('other_connections', 'integer', (column) => column.notNull())
    .addColumn('seen_at', 'bigint', (column) => column.notNull())
    .execute();
}
