import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openStore } from '../../src/store/open.ts';
import { createTestDatabase, testServerUrl } from '../support/postgres.ts';

const FIXTURE = join(import.meta.dirname, '../e2e/fixtures/0.1.0/postgres.sql');
/** Longer than any other statement may take. */
const HELD_FOR_S = 17;

test.skipIf(testServerUrl === undefined)(
  'a migration of a large database on Postgres may take longer than any other statement',
  async () => {
    const { url, query, drop } = await createTestDatabase(testServerUrl ?? '');
    onTestFinished(drop);
    await query(readFileSync(FIXTURE, 'utf8'));
    const held = query(`begin; lock table call; select pg_sleep(${HELD_FOR_S}); commit`);
    await expect
      .poll(() => query(`select 1 from pg_locks where relation = 'call'::regclass and granted`))
      .not.toEqual([]);
    // Two replicas: the second waits for the first one's migration.
    const stores = await Promise.all([openStore({ databaseUrl: url }), openStore({ databaseUrl: url })]);
    await held;
    await Promise.all(stores.map((store) => store.close()));
    const jobs = await query('select data from job');
    expect(jobs.length).toBeGreaterThan(0);
    expect(jobs.every(({ data }) => String(data).includes('"lastAnnounced":'))).toBe(true);
  },
);
