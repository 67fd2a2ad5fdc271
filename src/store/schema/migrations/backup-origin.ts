import { randomUUID } from 'node:crypto';
import type { Kysely } from 'kysely';

/**
 * A backup of the embedded store says of which installation it is, and which one it is: its file's name and time do not
 * tell. In the store, it is the number of the backup that it was restored from.
 */
export async function addBackupOrigin(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('backup_origin')
    .addColumn('installation_id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('sequence', 'bigint', (column) => column.notNull())
    .execute();
  const tables = db as Kysely<{ backup_origin: { installation_id: string; sequence: number } }>;
  await tables.insertInto('backup_origin').values({ installation_id: randomUUID(), sequence: 0 }).execute();
}
