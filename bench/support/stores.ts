import { sql } from 'kysely';
import { openDatabase, type StoreLocation } from '../../src/store/open.ts';
import { createTestDatabase, testServerUrl } from '../../test/support/postgres.ts';
import { createScratch } from './paths.ts';

/** An empty store of one of the two kinds. */
export interface BenchStore extends AsyncDisposable {
  /** Says so if its server is one that may lose what it has committed. */
  readonly name: 'SQLite' | 'Postgres' | 'Postgres (fsync off)';
  readonly location: StoreLocation;
  /** What a process needs in order to use it. */
  readonly env: Readonly<Record<string, string>>;
  /** A folder beside it. */
  readonly dataDir: string;
}

/** One of each kind: of Postgres only if there is a server. */
export async function createStores(): Promise<BenchStore[]> {
  const stores = [await createSqliteStore(), await createPostgresStore()];
  return stores.filter((store) => store !== null);
}

export async function createSqliteStore(): Promise<BenchStore> {
  const { path: dataDir, [Symbol.asyncDispose]: dispose } = await createScratch();
  return { name: 'SQLite', location: { dataDir }, env: {}, dataDir, [Symbol.asyncDispose]: dispose };
}

/** Null unless `TEST_DATABASE_URL` names a server. */
export async function createPostgresStore(): Promise<BenchStore | null> {
  if (testServerUrl === undefined) return null;
  const scratch = await createScratch();
  const { url: databaseUrl, drop, query } = await createTestDatabase(testServerUrl);
  const [setting] = await query('show fsync');
  return {
    name: setting?.fsync === 'off' ? 'Postgres (fsync off)' : 'Postgres',
    location: { databaseUrl },
    env: { DATABASE_URL: databaseUrl },
    dataDir: scratch.path,
    [Symbol.asyncDispose]: async () => {
      await drop();
      await scratch[Symbol.asyncDispose]();
    },
  };
}

/** Runs statements on a store that no process has open. */
export async function changeStore(location: StoreLocation, ...statements: readonly string[]): Promise<void> {
  const { database } = await openDatabase(location);
  try {
    for (const statement of statements) await sql.raw(statement).execute(database.queries);
  } finally {
    await database.close();
  }
}
