import type { Kysely } from 'kysely';

/** A store that was copied to another place says so, since two programs on the same jobs would do everything twice. */
export async function addMoved(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('moved')
    .addColumn('place', 'text', (column) => column.primaryKey().notNull())
    .addColumn('at', 'bigint', (column) => column.notNull())
    .execute();
}
