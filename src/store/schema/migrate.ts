import type { Kysely } from 'kysely';
import { DEFAULT_MIGRATION_TABLE, type Migration, Migrator } from 'kysely/migration';
import type { Database } from '../engines/connection-turns.ts';
import { StoreError } from '../errors.ts';
import type { Queries } from './tables.ts';

const LOCK = 'migration';

/** Applies all missing migrations, or none, and returns their names. Replicas that do so wait for each other. */
export async function migrate(
  { queries, advisoryLockIn }: Pick<Database, 'queries' | 'advisoryLockIn'>,
  migrations: Record<string, Migration>,
): Promise<string[]> {
  try {
    return await queries.transaction().execute(async (tx) => {
      await advisoryLockIn(tx)(LOCK);
      const migrator = new Migrator({ db: tx, provider: { getMigrations: async () => migrations } });
      const { error, results = [] } = await migrator.migrateToLatest();
      if (error !== undefined) throw error;
      return results.map(({ migrationName }) => migrationName);
    });
  } catch (error) {
    throw await explained(error, queries, migrations);
  }
}

async function explained(
  error: unknown,
  queries: Queries,
  migrations: Record<string, Migration>,
): Promise<unknown> {
  if (error instanceof StoreError) return error;
  const { unknown } = await schemaState(queries, migrations);
  if (unknown.length === 0) return error;
  return new StoreError(
    `The store was written by a newer docs-agent (its schema has ${unknown.join(', ')}, which this ` +
      'version does not know). Start that version or a later one.',
  );
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
