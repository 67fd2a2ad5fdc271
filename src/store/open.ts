import type { Database } from './engines/database.ts';
import { openSqlite } from './engines/sqlite.ts';
import { migrate } from './schema/migrate.ts';
import { migrations } from './schema/migrations.ts';
import { SqlStore } from './sql-store.ts';
import type { Store } from './store.ts';

/** `dataDir`: a directory on a local disk, for one process at a time; made if it is missing. */
export type StoreLocation = { readonly dataDir: string } | { readonly databaseUrl: string };

/**
 * Opens the store and brings its schema up to date. Throws StoreError if that cannot be: the directory
 * cannot be used or is in use, a file is damaged, Postgres cannot be reached or refuses, the schema is newer.
 * @param leaseNowMs counts leases in the place of the database's own clock
 */
export async function openStore(location: StoreLocation, leaseNowMs?: () => number): Promise<Store> {
  const { database } = await openDatabase(location);
  return new SqlStore(database, leaseNowMs ? async () => leaseNowMs() : null);
}

/** Brings the schema up to date; fails as `openStore` does. Returns the names of the migrations that it made. */
export async function migrateStore(location: StoreLocation): Promise<readonly string[]> {
  const { database, migrated } = await openDatabase(location);
  await database.close();
  return migrated;
}

/** The database behind the store. The caller closes it. Fails as `openStore` does. */
export async function openDatabase(
  location: StoreLocation,
): Promise<{ readonly database: Database; readonly migrated: readonly string[] }> {
  const isEmbedded = 'dataDir' in location;
  const database = isEmbedded ? openSqlite(location.dataDir) : await loadPostgres(location.databaseUrl);
  try {
    const migrated = await migrate(database.queries, migrations(database.engine));
    if (isEmbedded) {
      // The process that held them is gone, or the directory could not have been opened.
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

/** Its packages are loaded only where they are used: a start should not wait for them. */
async function loadPostgres(databaseUrl: string): Promise<Database> {
  const { openPostgres } = await import('./engines/postgres.ts');
  return openPostgres(databaseUrl);
}
