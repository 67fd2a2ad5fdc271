import { describe, expect, onTestFinished, test } from 'vitest';
import { settings } from '../cli/support/settings.ts';
import { startTinySlack } from '../cli/support/tiny-slack.ts';
import { runProgram } from '../support/child-program.ts';
import { createTestDatabase, type TestDatabase, testServerUrl } from '../support/postgres.ts';

const migrations = (database: TestDatabase) =>
  database.query('select name, timestamp from kysely_migration order by name');

/** All tables with their columns. */
const tables = (database: TestDatabase) =>
  database.query(`select table_name, column_name, data_type from information_schema.columns
    where table_schema = 'public' order by table_name, column_name`);

describe.skipIf(testServerUrl === undefined)('the schema on Postgres', () => {
  async function emptyDatabase(): Promise<TestDatabase> {
    const database = await createTestDatabase(testServerUrl ?? '');
    onTestFinished(() => database.drop());
    return database;
  }

  test('is made once by several processes that start at the same time, and all of them start', async () => {
    const database = await emptyDatabase();
    await using slack = await startTinySlack();
    const env = { ...settings, SLACK_API_URL: slack.apiUrl, DATABASE_URL: database.url };
    await using programs = new AsyncDisposableStack();
    const replicas = Array.from({ length: 4 }, () => programs.use(runProgram(['start'], env)));
    for (const replica of replicas) {
      const { port } = await replica.logged('started');
      expect((await fetch(`http://127.0.0.1:${port}/readyz`)).status).toBe(200);
    }
    const names = (await migrations(database)).map(({ name }) => name);
    expect(names.length).toBeGreaterThan(0);
    expect(new Set(names).size).toBe(names.length);
  });

  test('of a newer program is refused by an older one, which ends and changes nothing', async () => {
    const database = await emptyDatabase();
    await using slack = await startTinySlack();
    const env = { ...settings, SLACK_API_URL: slack.apiUrl, DATABASE_URL: database.url };
    await using newer = runProgram(['start'], env);
    const { port } = await newer.logged('started');
    await database.query(`insert into kysely_migration values ('9999_later', '2999-01-01T00:00:00.000Z')`);
    await database.query('alter table job add column later text');
    const before = [await migrations(database), await tables(database)];

    await using older = runProgram(['start'], env);
    expect(await older.exit).toEqual({ code: 78, signal: null });
    expect(older.output()).toMatch(
      /docs-agent cannot start\. .*newer docs-agent.*9999_later.*Start that version or a later one\./,
    );
    expect([await migrations(database), await tables(database)]).toEqual(before);
    expect((await fetch(`http://127.0.0.1:${port}/readyz`)).status).toBe(200);
  });
});
