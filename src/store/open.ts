import { resolve } from 'node:path';
import type { Database } from './engines/database.ts';
import { openSqlite } from './engines/sqlite.ts';
import { refuseMoved } from './moved.ts';
import { migrate, schemaState } from './schema/migrate.ts';
import { migrations } from './schema/migrations.ts';
import { SqlStore } from './sql-store.ts';
import type { Store } from './store.ts';

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
  const isEmbedded = 'dataDir' in location;
  const database = isEmbedded ? openSqlite(location.dataDir) : await loadPostgres(location.databaseUrl);
  try {
    const migrated = isEmbedded
      ? await migrate(database, migrations('sqlite'))
      : await migratePostgres(database, location.databaseUrl);
    if (isEmbedded) {
      // Their holder is gone, or the directory could not have been opened.
      await database.queries
        .updateTable('task')
        .set({ lease_token: null, lease_until: null })
        .where('lease_until', 'is not', null)
        .execute();
    }
    return { database, migrated };
  } catch (error) {
    await database.close();
    throw error;
  }
}

/**
 * Migrates a large database, or waits for another replica that does, for as long as it takes. Without a missing
 * migration, a start fails as fast as any statement on a server that does not answer.
 */
async function migratePostgres(database: Database, databaseUrl: string): Promise<string[]> {
  const all = migrations('postgres');
  const { missing } = await schemaState(database.queries, all);
  if (missing.length === 0) return migrate(database, all);
  const unlimited = await loadPostgres(databaseUrl, 0);
  try {
    return await migrate(unlimited, all);
  } finally {
    await unlimited.close();
  }
}

/** Loaded on demand: a start with SQLite should not wait for these packages. */
async function loadPostgres(databaseUrl: string, queryTimeoutMs?: number): Promise<Database> {
  const { openPostgres } = await import('./engines/postgres.ts');
  return openPostgres(databaseUrl, queryTimeoutMs);
}
