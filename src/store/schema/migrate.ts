import type { Kysely } from 'kysely';
import { DEFAULT_MIGRATION_TABLE, type Migration, Migrator } from 'kysely/migration';
import { StoreError } from '../errors.ts';
import type { Queries } from './tables.ts';

/**
 * Applies all missing migrations, or none, and returns their names. Processes may do so concurrently: Kysely's migrator
 * takes an advisory lock on Postgres.
 */
export async function migrate(db: Queries, migrations: Record<string, Migration>): Promise<string[]> {
  const migrator = new Migrator({ db, provider: { getMigrations: async () => migrations } });
  const { error, results = [] } = await migrator.migrateToLatest();
  if (error === undefined) return results.map(({ migrationName }) => migrationName);
  if (error instanceof StoreError) throw error;
  const { unknown } = await schemaState(db, migrations);
  if (unknown.length > 0) {
    throw new StoreError(
      `The store was written by a newer docs-agent (its schema has ${unknown.join(', ')}, which this ` +
        'version does not know). Start that version or a later one.',
    );
  }
  throw error;
}

/** Names of migrations. */
export interface SchemaState {
  readonly applied: readonly string[];
  /** Not applied yet. */
  readonly missing: readonly string[];
  /** Applied by a newer version. */
  readonly unknown: readonly string[];
}

/** Changes nothing. */
export async function schemaState(db: Queries, migrations: Record<string, Migration>): Promise<SchemaState> {
  const tables = await db.introspection.getTables({ withInternalKyselyTables: true });
  const applied = tables.some(({ name }) => name === DEFAULT_MIGRATION_TABLE)
    ? await appliedMigrations(db)
    : [];
  return {
    applied,
    missing: Object.keys(migrations).filter((name) => !applied.includes(name)),
    unknown: applied.filter((name) => !(name in migrations)),
  };
}

async function appliedMigrations(db: Queries): Promise<string[]> {
  const tables = db as unknown as Kysely<{ [DEFAULT_MIGRATION_TABLE]: { name: string } }>;
  const rows = await tables.selectFrom(DEFAULT_MIGRATION_TABLE).select('name').execute();
  return rows.map((row) => row.name);
}
