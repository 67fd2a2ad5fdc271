import type { Kysely } from 'kysely';
import { type Migration, Migrator } from 'kysely/migration';
import { StoreError } from './errors.ts';
import type { Queries } from './tables.ts';

/**
 * Brings the schema up to date: all of the missing migrations, or none. Several processes may do it at
 * the same time (Kysely's migrator takes an advisory lock on Postgres). Returns the names of those it made.
 */
export async function migrate(db: Queries, migrations: Record<string, Migration>): Promise<string[]> {
  const migrator = new Migrator({ db, provider: { getMigrations: async () => migrations } });
  const { error, results = [] } = await migrator.migrateToLatest();
  if (error === undefined) return results.map(({ migrationName }) => migrationName);
  if (error instanceof StoreError) throw error;
  const unknown = (await appliedMigrations(db)).filter((name) => !(name in migrations));
  if (unknown.length > 0) {
    throw new StoreError(
      `The store was written by a newer docs-agent (its schema has ${unknown.join(', ')}, which this ` +
        'version does not know). Start that version or a later one.',
    );
  }
  throw error;
}

async function appliedMigrations(db: Queries): Promise<string[]> {
  // The table of Kysely's migrator.
  const tables = db as unknown as Kysely<{ kysely_migration: { name: string } }>;
  const rows = await tables.selectFrom('kysely_migration').select('name').execute();
  return rows.map((row) => row.name);
}
