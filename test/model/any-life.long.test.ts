import { describe, test } from 'vitest';
import { createTestDatabase, testServerUrl } from '../support/postgres.ts';
import { type Life, live } from './support/live.ts';
import { expectGoodLives, LIFE_WITHIN_MS, runsOr, SEEDS_OF_SHARE } from './support/lives.ts';

const RUNS = runsOr(5);
const RUNS_OF_REPLICAS = runsOr(1);

test(
  'whatever happens to the whole program, nothing is lost, doubled or left in silence',
  {
    timeout: SEEDS_OF_SHARE.length * RUNS * LIFE_WITHIN_MS,
  },
  () => expectGoodLives(RUNS, SEEDS_OF_SHARE),
);

/** Over HTTP: a balancer gives each action to one of them. */
async function liveOnPostgres({ settings, ...life }: Life): Promise<string[]> {
  const database = await createTestDatabase(testServerUrl ?? '');
  try {
    const shared = { ...settings, DATABASE_URL: database.url };
    return await live({ ...life, mode: 'http', replicas: 2, settings: shared });
  } finally {
    await database.drop();
  }
}

describe.skipIf(testServerUrl === undefined)('two replicas on Postgres', () => {
  test(
    'whatever happens to them, nothing is lost, doubled or left in silence',
    {
      // Each life is lived by two programs, beside other tests.
      timeout: SEEDS_OF_SHARE.length * RUNS_OF_REPLICAS * 2 * LIFE_WITHIN_MS,
    },
    () => expectGoodLives(RUNS_OF_REPLICAS, SEEDS_OF_SHARE, liveOnPostgres),
  );
});
