import { describe, expect, test } from 'vitest';
import { createTestDatabase, testServerUrl } from '../support/postgres.ts';
import { fc } from '../support/properties.ts';
import { anyLife, anySettings, anyTurns } from './support/any-life.ts';
import { live } from './support/live.ts';

const RUNS = Number(process.env.MODEL_RUNS ?? 4);
const LIFE_WITHIN_MS = 60_000;

describe.skipIf(testServerUrl === undefined)('two replicas on Postgres', () => {
  test('whatever happens to them, nothing is lost, doubled or left in silence', {
    timeout: RUNS * LIFE_WITHIN_MS,
  }, async () => {
    const life = fc.record({ settings: anySettings, turns: anyTurns, steps: anyLife });
    await fc.assert(
      fc.asyncProperty(life, async ({ settings, ...one }) => {
        const database = await createTestDatabase(testServerUrl ?? '');
        try {
          const shared = { ...settings, DATABASE_URL: database.url };
          expect(await live({ mode: 'http', replicas: 2, settings: shared, ...one })).toEqual([]);
        } finally {
          await database.drop();
        }
      }),
      { numRuns: RUNS, ...JSON.parse(process.env.MODEL_REPLAY ?? '{}') },
    );
  });
});
