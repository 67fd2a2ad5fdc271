import { resolve } from 'node:path';
import { sql } from 'kysely';
import { type Database, StoreError } from './engines/database.ts';
import { openSqlite } from './engines/sqlite.ts';
import { migrate, migrations, schemaState } from './schema/migrations.ts';
import type { Queries } from './schema/tables.ts';
import { type EndedTransaction, SqlStore, type Store } from './store.ts';

/** `dataDir`: on a local disk, for one process. */
export type StoreLocation = { readonly dataDir: string } | { readonly databaseUrl: string };

export function placeOf(location: StoreLocation): string {
  if ('dataDir' in location) return resolve(location.dataDir);
  const url = URL.parse(location.databaseUrl);
  return `Postgres at ${url?.host ?? ''}${url?.pathname ?? ''}`;
}

/**
 * Migrates the schema. Throws StoreError if the store is unusable, in use, damaged, unreachable, of a newer
 * version, or was copied elsewhere.
 * @param leaseNowMs replaces the database's clock for leases
 */
export async function openStore(
  location: StoreLocation,
  leaseNowMs?: () => number,
  report?: (ended: EndedTransaction) => void,
): Promise<Store> {
  const { database } = await openDatabase(location);
  try {
    await refuseMoved(database.queries, placeOf(location));
  } catch (error) {
    await database.close();
    throw error;
  }
  return new SqlStore(leaseNowMs ? { ...database, leaseNowMs: async () => leaseNowMs() } : database, report);
}

export async function migrateStore(location: StoreLocation): Promise<readonly string[]> {
  const { database, migrated } = await openDatabase(location);
  await database.close();
  return migrated;
}

/** Also opens a store that was copied elsewhere. The caller closes it. */
export async function openDatabase(
  location: StoreLocation,
): Promise<{ readonly database: Database; readonly migrated: readonly string[] }> {
  // A start with SQLite should not wait for the packages of Postgres.
  const database =
    'dataDir' in location
      ? openSqlite(location.dataDir)
      : (await import('./engines/postgres.ts')).openPostgres(location.databaseUrl);
  try {
    const { missing, unknown } = await schemaState(database.queries);
    const isCurrent = missing.length + unknown.length === 0;
    const migrated = isCurrent ? [] : await migrate(database, migrations(database.engine));
    // On SQLite, their owner is gone, or the directory would be locked.
    if (database.engine === 'sqlite') {
      const freeLeases = sql`
        update task set lease_token = null, lease_until = null where lease_until is not null`;
      await freeLeases.execute(database.queries);
    }
    return { database, migrated };
  } catch (error) {
    await database.close();
    throw error;
  }
}

export function movedTo(queries: Queries) {
  return queries.selectFrom('moved').selectAll().executeTakeFirst();
}

async function refuseMoved(queries: Queries, place: string) {
  const moved = await movedTo(queries);
  if (moved === undefined) return;
  const when = new Date(moved.at).toISOString();
  throw new StoreError(
    `The store in ${place} was copied to ${moved.place} (begun ${when}). Start docs-agent on that one. If the copy was ` +
      'interrupted, run `docs-agent copy-store` again. If the copy is not to be used, delete it first, and then the row ' +
      'of the table "moved" in this store: on both, docs-agent would do everything twice.',
  );
}
