import { describe } from 'vitest';
import type { StoreLocation } from '../../src/store/open.ts';
import { createTestDatabase, testServerUrl } from './postgres.ts';
import { createTempDir } from './temp-dir.ts';

export interface EmptyPlace {
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

type MakeEmpty = () => Promise<EmptyPlace>;

const serverUrl = testServerUrl;

/** What makes an empty place, for each database that there is. */
export const emptyPlaces: readonly MakeEmpty[] =
  serverUrl === undefined ? [onSqlite] : [onSqlite, () => onPostgres(serverUrl)];

/** `describe` for each database, of which `make` gives an empty one. */
export function describeOnDatabases(name: string, tests: (make: MakeEmpty) => void): void {
  for (const [index, make] of emptyPlaces.entries()) {
    describe(`${name}, on ${index === 0 ? 'SQLite' : 'Postgres'}`, () => tests(make));
  }
}
