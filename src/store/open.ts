import { resolve } from 'node:path';
import { refuseMoved } from './backup.ts';
import type { Database } from './engines/connection-turns.ts';
import { openSqlite } from './engines/sqlite.ts';
import { migrate, migrations, schemaState } from './schema/migrations.ts';
import { SqlStore, type Store } from './store.ts';

/** `dataDir`: a directory on a local disk, for one process at a time; created if missing. */
export type StoreLocation = { readonly dataDir: string } | { readonly databaseUrl: string };

/** The directory, or host and database of Postgres, without the password. */
export function placeOf(location: StoreLocation): string {
  if ('dataDir' in location) return resolve(location.dataDir);
  const url = URL.parse(location.databaseUrl);
  return `Postgres at ${url?.host ?? ''}${url?.pathname ?? ''}`;
}

/**
 * Opens the store and migrates its schema. Throws StoreError if the directory is unusable or in use, a file is damaged,
 * Postgres is unreachable or refuses, the schema is newer, or the store was copied to another place.
 * @param leaseNowMs replaces the database's clock for leases
 */
export async function openStore(location: StoreLocation, leaseNowMs?: () => number): Promise<Store> {
  const { database } = await openDatabase(location);
  try {
    await refuseMoved(database.queries, placeOf(location));
  } catch (error) {
    await database.close();
    throw error;
  }
  return new SqlStore(database, leaseNowMs ? async () => leaseNowMs() : null);
}

/** Migrates the schema; fails as `openStore` does. Returns the names of the migrations applied. */
export async function migrateStore(location: StoreLocation): Promise<readonly string[]> {
  const { database, migrated } = await openDatabase(location);
  await database.close();
  return migrated;
}

/** The database behind the store, for the caller to close. Fails as `openStore` does. */
export async function openDatabase(
  location: StoreLocation,
): Promise<{ readonly database: Database; readonly migrated: readonly string[] }> {
  if (!('dataDir' in location)) return openMigratedPostgres(location.databaseUrl);
  const database = openSqlite(location.dataDir);
  try {
    const migrated = await migrate(database, migrations('sqlite'));
    // Their holder is gone, or the directory could not have been opened.
    await database.queries
      .updateTable('task')
      .set({ leaseToken: null, leaseUntil: null })
      .where('leaseUntil', 'is not', null)
      .execute();
    return { database, migrated };
  } catch (error) {
    await database.close();
    throw error;
  }
}

/**
 * Migrates a large database, or waits for another replica that does, without a limit. If the schema is up to
 * date, a start fails as fast as any statement on a server that does not answer.
 */
async function openMigratedPostgres(databaseUrl: string) {
  const database = await loadPostgres(databaseUrl);
  try {
    const { missing, unknown } = await schemaState(database.queries);
    if (missing.length + unknown.length === 0) return { database, migrated: [] };
  } catch (error) {
    await database.close();
    throw error;
  }
  // One after the other: a role may be allowed a single connection.
  await database.close();
  const migrated = await migratePatiently(databaseUrl);
  return { database: await loadPostgres(databaseUrl), migrated };
}

async function migratePatiently(databaseUrl: string): Promise<string[]> {
  const database = await loadPostgres(databaseUrl, true);
  try {
    return await migrate(database, migrations('postgres'));
  } finally {
    await database.close();
  }
}

/** Loaded on demand: a start with SQLite should not wait for these packages. */
async function loadPostgres(databaseUrl: string, isPatient = false): Promise<Database> {
  const { openPostgres } = await import('./engines/postgres.ts');
  return openPostgres(databaseUrl, isPatient);
}
