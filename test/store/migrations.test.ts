import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Kysely } from 'kysely';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { StoreError } from '../../src/store/engines/database.ts';
import { openSqlite } from '../../src/store/engines/sqlite.ts';
import { openStore } from '../../src/store/open.ts';
import { migrate, migrations } from '../../src/store/schema/migrations.ts';

describe('migrations', () => {
  let dataDir = '';
  beforeEach(() => {
    dataDir = mkdtempSync(join(tmpdir(), 'docs-agent-migrations-'));
    onTestFinished(() => rmSync(dataDir, { recursive: true }));
  });

  function tablesIn(): string[] {
    const file = new DatabaseSync(join(dataDir, 'docs-agent.db'), { readOnly: true });
    const rows = file.prepare(`select name from sqlite_schema where type = 'table' order by name`).all();
    file.close();
    return rows.map((row) => String(row.name)).filter((name) => !/^(kysely|sqlite)_/.test(name));
  }

  test('make the schema once, and leave it alone afterwards', async () => {
    await (await openStore({ dataDir })).close();
    const tables = tablesIn();
    expect(tables).toContain('job');
    await (await openStore({ dataDir })).close();
    expect(tablesIn()).toEqual(tables);
  });

  test('that fail halfway leave nothing behind', async () => {
    const database = openSqlite(dataDir);
    onTestFinished(database.close);
    const broken = {
      ...migrations('sqlite'),
      '9999_broken': {
        up: async (db: Kysely<unknown>) => {
          await db.schema.createTable('half').addColumn('id', 'integer').execute();
          await db.schema.dropTable('nowhere').execute();
        },
      },
    };
    await expect(migrate(database, broken)).rejects.toThrow('nowhere');
    expect(tablesIn()).toEqual([]);
    await migrate(database, migrations('sqlite'));
    expect(tablesIn()).toContain('job');
  });

  test('of a newer program are not touched: the operator learns of it', async () => {
    await (await openStore({ dataDir })).close();
    const file = new DatabaseSync(join(dataDir, 'docs-agent.db'));
    file.exec(`insert into kysely_migration values ('9999_later', '2999-01-01T00:00:00.000Z')`);
    file.close();
    const opening = openStore({ dataDir });
    await expect(opening).rejects.toThrow(StoreError);
    await expect(opening).rejects.toThrow(/newer docs-agent.*9999_later/);
  });
});
