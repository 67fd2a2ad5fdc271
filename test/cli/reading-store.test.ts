import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Client } from 'pg';
import { expect, test } from 'vitest';
import { openStore, type StoreLocation } from '../../src/store/open.ts';
import { aCreateCall, aDecision, aFollowUp, aJob, NOW_MS } from '../contract/store/samples.ts';
import type { ChildEnv } from '../support/child-program.ts';
import { describeOnDatabases } from '../support/databases.ts';
import { queryAt } from '../support/postgres.ts';
import { auditAt, reportAt } from './support/printed.ts';

const MIGRATIONS = 'kysely_migration';

async function fill(location: StoreLocation): Promise<void> {
  const store = await openStore(location);
  const decision = aDecision({ job: aJob(), followUps: [aFollowUp()], calls: [aCreateCall('create')] });
  await store.transaction((tx) => tx.write(decision, NOW_MS));
  await store.close();
}

function envOf(location: StoreLocation): ChildEnv {
  return 'dataDir' in location ? { DATA_DIR: location.dataDir } : { DATABASE_URL: location.databaseUrl };
}

function fileOf(dataDir: string): string {
  return join(dataDir, 'docs-agent.db');
}

async function change(location: StoreLocation, sql: string): Promise<void> {
  if ('databaseUrl' in location) return void (await queryAt(location.databaseUrl, sql));
  using database = new DatabaseSync(fileOf(location.dataDir));
  database.exec(sql);
}

/** Reads with the rights that are given, while another writes; returns whether nothing has changed. */
async function besideWriter(location: StoreLocation, read: (env: ChildEnv) => Promise<void>): Promise<void> {
  if ('dataDir' in location) {
    const path = fileOf(location.dataDir);
    using writer = new DatabaseSync(path);
    const before = await readFile(path);
    writer.exec('begin exclusive; update job set team_id = team_id');
    await read(envOf(location));
    writer.exec('rollback');
    expect(before.equals(await readFile(path))).toBe(true);
    return;
  }
  const { databaseUrl } = location;
  const reader = `reader_${randomUUID().replaceAll('-', '')}`;
  await queryAt(databaseUrl, `create role ${reader} login password 'hush'`);
  await queryAt(databaseUrl, `grant select on all tables in schema public to ${reader}`);
  const writer = new Client(databaseUrl);
  await writer.connect();
  try {
    await writer.query('begin; lock table job, follow_up, call, audit_entry in exclusive mode');
    const url = new URL(databaseUrl);
    [url.username, url.password] = [reader, 'hush'];
    await read({ DATABASE_URL: url.href });
  } finally {
    await writer.end();
    await queryAt(databaseUrl, `drop owned by ${reader}; drop role ${reader}`);
  }
}

describeOnDatabases('report and audit', (make) => {
  test('read a store that they may not change, while another process holds its locks (L4)', async () => {
    const { location, remove } = await make();
    await fill(location);
    await besideWriter(location, async (env) => {
      const report = await reportAt(NOW_MS + 5_000, env, '--format', 'json');
      expect(JSON.parse(report)).toMatchObject({ starts: { total: 1 }, open: 1 });
      const lines = await auditAt(NOW_MS + 5_000, env);
      expect(lines.map(({ action, text }) => [action, text])).toEqual([
        ['start', undefined],
        ['reply', undefined],
      ]);
      const [start] = await auditAt(NOW_MS + 5_000, env, '--prompts');
      expect(start?.text).toBe(aJob().prompt);
    });
    await remove();
  });

  test('say of a store of a newer version what to do', async () => {
    const { location, remove } = await make();
    await fill(location);
    await change(location, `insert into ${MIGRATIONS} values ('9999_later', '')`);
    const words = /newer docs-agent\. Use that version/;
    await expect(reportAt(NOW_MS, envOf(location))).rejects.toThrow(words);
    await expect(auditAt(NOW_MS, envOf(location))).rejects.toThrow(words);
    await remove();
  });

  test('say that there is no store yet', async () => {
    const { location, remove } = await make();
    await expect(reportAt(NOW_MS, envOf(location))).rejects.toThrow('There is no store in');
    await expect(auditAt(NOW_MS, envOf(location))).rejects.toThrow('There is no store in');
    await remove();
  });
});
