import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { onTestFinished } from 'vitest';
import { openStore } from '../../../src/store/open.ts';
import type { Store } from '../../../src/store/store.ts';
import { createTempDir } from '../../support/temp-dir.ts';

/** A store of its own for one test. `sql` runs a statement past it. */
export async function onSqlite(): Promise<{ store: Store; dataDir: string; sql(statement: string): void }> {
  const folder = await createTempDir();
  onTestFinished(folder.remove);
  const store = await openStore({ dataDir: folder.path });
  onTestFinished(() => store.close());
  return {
    store,
    dataDir: folder.path,
    sql: (statement) => {
      const file = new DatabaseSync(join(folder.path, 'docs-agent.db'));
      file.exec(statement);
      file.close();
    },
  };
}
