import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { openDatabase, openStore } from '../../src/store/open.ts';
import { jobFrom } from '../../src/store/schema/tables.ts';
import { aDecision, aJob, NOW_MS } from '../contract/store/samples.ts';
import { describeOnDatabases } from '../support/databases.ts';
import { queryAt } from '../support/postgres.ts';

const FIXTURES = join(import.meta.dirname, '../e2e/fixtures/0.1.0');

describeOnDatabases('the numbers of jobs', (make) => {
  test('are given by age to the jobs of version 0.1.0, and go on from there', async () => {
    const { location, remove } = await make();
    if ('dataDir' in location) {
      const file = new DatabaseSync(join(location.dataDir, 'docs-agent.db'));
      file.exec(await readFile(join(FIXTURES, 'sqlite.sql'), 'utf8'));
      file.close();
    } else {
      await queryAt(location.databaseUrl, await readFile(join(FIXTURES, 'postgres.sql'), 'utf8'));
    }
    const { database } = await openDatabase(location);
    const rows = await database.queries.selectFrom('job').selectAll().execute();
    await database.close();
    const before = rows.map(jobFrom).sort((a, b) => a.requestedAtMs - b.requestedAtMs);
    const byTeam = Map.groupBy(before, (job) => job.teamId);
    expect(byTeam.size).toBeGreaterThan(1);
    for (const jobs of byTeam.values())
      expect(jobs.map(({ number }) => number)).toEqual(jobs.map((_, index) => index + 1));
    const [[teamId, jobsOfTeam] = ['', []]] = byTeam;
    const store = await openStore(location);
    const job = aJob({ teamId, threadTs: null });
    await store.transaction((tx) => tx.write(aDecision({ job }), NOW_MS));
    const stored = await store.transaction((tx) => tx.jobs.get(job.id));
    const elsewhere = { ...job, id: 'elsewhere', teamId: 'T-OTHER' };
    await store.transaction((tx) => tx.write(aDecision({ job: elsewhere }), NOW_MS));
    const other = await store.transaction((tx) => tx.jobs.get('elsewhere'));
    await store.close();
    await remove();
    expect([stored?.number, other?.number]).toEqual([jobsOfTeam.length + 1, 1]);
  });
});
