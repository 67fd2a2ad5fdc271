import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { BUSY_TIMEOUT_MS, connect, DATABASE_FILE, noFlush, queriesOn } from '../engines/sqlite.ts';
import { sqliteError } from '../engines/sqlite-errors.ts';
import { StoreError } from '../errors.ts';
import { placeOf, type StoreLocation } from '../open.ts';
import { schemaState } from '../schema/migrate.ts';
import { migrations } from '../schema/migrations.ts';
import type { Queries } from '../schema/tables.ts';

/**
 * Reads the store, also beside a running docs-agent: the embedded one is opened read-only. Several queries
 * may see several moments. Throws StoreError if there is no store, or if its schema is of another version.
 */
export async function readStore<T>(
  location: StoreLocation,
  read: (queries: Queries) => Promise<T>,
): Promise<T> {
  const { queries, close, engine } =
    'dataDir' in location ? openFile(location.dataDir) : await openServer(location.databaseUrl);
  try {
    const { applied, missing, unknown } = await schemaState(queries, migrations(engine));
    if (applied.length === 0) throw noStoreError(placeOf(location));
    if (missing.length + unknown.length > 0) throw otherVersionError(placeOf(location), missing.length > 0);
    return await read(queries);
  } finally {
    await close();
  }
}

function openFile(dataDir: string) {
  const directory = resolve(dataDir);
  const path = join(directory, DATABASE_FILE);
  if (!existsSync(path)) throw noStoreError(directory);
  const translate = (error: unknown) => sqliteError(directory, error);
  try {
    const file = connect(path, { readOnly: true, timeout: BUSY_TIMEOUT_MS });
    const queries = queriesOn(file, { translate, verify: () => {}, flush: noFlush });
    return { queries, engine: 'sqlite' as const, close: () => queries.destroy() };
  } catch (error) {
    throw translate(error);
  }
}

async function openServer(databaseUrl: string) {
  const { openPostgres } = await import('../engines/postgres.ts');
  const { queries, engine, close } = openPostgres(databaseUrl);
  return { queries, engine, close };
}

function noStoreError(place: string): StoreError {
  return new StoreError(`There is no store in ${place} yet: docs-agent makes it when it starts.`);
}

function otherVersionError(place: string, isOlder: boolean): StoreError {
  return new StoreError(
    isOlder
      ? `The store in ${place} was written by an older docs-agent. Start this version on it once, or run \`docs-agent migrate\`.`
      : `The store in ${place} was written by a newer docs-agent. Use that version.`,
  );
}
