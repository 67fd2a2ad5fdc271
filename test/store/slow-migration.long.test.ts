import { expect, onTestFinished, test } from 'vitest';
import { openStore } from '../../src/store/open.ts';
import { createTestDatabase, testServerUrl } from '../support/postgres.ts';

/** Longer than any other statement may take. */
const HELD_FOR_S = 17;

test.skipIf(testServerUrl === undefined)(
  'a migration on Postgres may take longer than any other statement, and replicas wait for it',
  async () => {
    const { url, query, drop } = await createTestDatabase(testServerUrl ?? '');
    onTestFinished(drop);
    // Nothing can be created in the schema meanwhile, so the migration stands still.
    const held = query(`begin; create table task (); select pg_sleep(${HELD_FOR_S}); rollback`);
    await expect
      .poll(() => query(`select 1 from pg_stat_activity where query like '%pg_sleep(${HELD_FOR_S})%'`))
      .toHaveLength(2);
    const stores = await Promise.all([openStore({ databaseUrl: url }), openStore({ databaseUrl: url })]);
    await held;
    await Promise.all(stores.map((store) => store.close()));
    expect(await query('select count(*) as count from task')).toEqual([{ count: '0' }]);
  },
);
