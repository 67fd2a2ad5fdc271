import { describe } from 'vitest';
import type { StoreLocation } from '../../../src/store/open.ts';
import { createTestDatabase, testServerUrl } from '../../support/postgres.ts';
import { createTempDir } from '../../support/temp-dir.ts';

interface EmptyPlace {
  readonly location: StoreLocation;
  remove(): Promise<void>;
}

async function onSqlite(): Promise<EmptyPlace> {
  const folder = await createTempDir();
  return { location: { dataDir: folder.path }, remove: () => folder.remove() };
}

async function onPostgres(serverUrl: string): Promise<EmptyPlace> {
  const database = await createTestDatabase(serverUrl);
  return { location: { databaseUrl: database.url }, remove: () => database.drop() };
}

/** `describe` for each database, of which `make` gives an empty one. */
export function describeOnDatabases(name: string, tests: (make: () => Promise<EmptyPlace>) => void): void {
  describe(`${name}, on SQLite`, () => tests(onSqlite));
  const url = testServerUrl;
  if (url !== undefined) describe(`${name}, on Postgres`, () => tests(() => onPostgres(url)));
}
