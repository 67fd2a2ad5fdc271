import type { StoreLocation } from '../../src/store/open.ts';
import { createTestDatabase, testServerUrl } from '../../test/support/postgres.ts';
import { createScratch } from './paths.ts';

/** An empty store of one of the two kinds. */
export interface BenchStore extends AsyncDisposable {
  readonly name: 'SQLite' | 'Postgres';
  readonly location: StoreLocation;
  /** What a process needs in order to use it. */
  readonly env: Readonly<Record<string, string>>;
  /** A folder beside it. */
  readonly dataDir: string;
}

/** Of each kind that there is: Postgres only if `TEST_DATABASE_URL` names a server. */
export const storeKinds: readonly (() => Promise<BenchStore>)[] = [
  createSqliteStore,
  ...(testServerUrl === undefined ? [] : [createPostgresStore]),
];

async function createSqliteStore(): Promise<BenchStore> {
  const { path: dataDir, [Symbol.asyncDispose]: dispose } = await createScratch();
  return { name: 'SQLite', location: { dataDir }, env: {}, dataDir, [Symbol.asyncDispose]: dispose };
}

async function createPostgresStore(): Promise<BenchStore> {
  if (testServerUrl === undefined) throw new Error('set TEST_DATABASE_URL');
  const scratch = await createScratch();
  const { url: databaseUrl, drop } = await createTestDatabase(testServerUrl);
  return {
    name: 'Postgres',
    location: { databaseUrl },
    env: { DATABASE_URL: databaseUrl },
    dataDir: scratch.path,
    [Symbol.asyncDispose]: async () => {
      await drop();
      await scratch[Symbol.asyncDispose]();
    },
  };
}
