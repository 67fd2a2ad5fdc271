import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { onTestFinished } from 'vitest';
import { openStore } from '../../../src/store/open.ts';
import type { Store } from '../../../src/store/store.ts';
import { createTestDatabase } from '../../support/postgres.ts';
import { createTempDir } from '../../support/temp-dir.ts';

/** A database of its own for one test. */
export interface TestStore {
  readonly store: Store;
  /** Runs a statement past the store. */
  sql(statement: string): Promise<unknown>;
  /** The store as another process has it; for databases that allow several. */
  another(): Promise<Store>;
}

export async function onSqlite(): Promise<TestStore> {
  const folder = await createTempDir();
  onTestFinished(folder.remove);
  const store = await openStore({ dataDir: folder.path });
  onTestFinished(() => store.close());
  const sql = async (statement: string) => {
    const file = new DatabaseSync(join(folder.path, 'docs-agent.db'));
    file.exec(statement);
    file.close();
  };
  return { store, sql, another: () => Promise.reject(new Error('one process has the file')) };
}

export async function onPostgres(serverUrl: string): Promise<TestStore> {
  const database = await createTestDatabase(serverUrl);
  onTestFinished(database.drop);
  const another = async () => {
    const store = await openStore({ databaseUrl: database.url });
    onTestFinished(() => store.close());
    return store;
  };
  return { store: await another(), sql: database.query, another };
}
