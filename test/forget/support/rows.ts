import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { TestDatabase } from '../../support/postgres.ts';

/** Everything in the store, in whatever table and column. */
export type ReadAll = () => Promise<string>;

/** Of an embedded store that is closed: also what its files still hold of what was deleted. */
export function allOfSqlite(dataDir: string): ReadAll {
  return async () => {
    const path = join(dataDir, 'docs-agent.db');
    const file = new DatabaseSync(path, { readOnly: true });
    try {
      const tables = file.prepare("select name from sqlite_master where type = 'table'").all();
      const rows = tables.map(({ name }) =>
        JSON.stringify([name, file.prepare(`select * from "${name}"`).all()]),
      );
      return [...rows, await readFile(path, 'latin1')].join('\n');
    } finally {
      file.close();
    }
  };
}

export function allOfPostgres({ query }: TestDatabase): ReadAll {
  return async () => {
    const tables = await query(
      "select table_name from information_schema.tables where table_schema = 'public'",
    );
    const rows = await Promise.all(
      tables.map(async ({ table_name: name }) =>
        JSON.stringify([name, await query(`select * from "${name}"`)]),
      ),
    );
    return rows.join('\n');
  };
}
