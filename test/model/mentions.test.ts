import fc from 'fast-check';
import { expect, test } from 'vitest';
import { anyLifeWithMentions, anySettings, anyTurns } from './support/any-life.ts';
import { live } from './support/live.ts';

const { MODEL_RUNS, MODEL_REPLAY } = process.env;
const RUNS = Number(MODEL_RUNS ?? 15);
const LIFE_WITHIN_MS = 60_000;

test('whatever happens, a mention that was accepted starts one job in its thread', {
  timeout: RUNS * LIFE_WITHIN_MS,
}, async () => {
  const life = fc.record({
    mode: fc.constantFrom('http', 'socket'),
    settings: anySettings,
    turns: anyTurns,
    steps: anyLifeWithMentions,
  });
  await fc.assert(
    fc.asyncProperty(life, async (one) => {
      expect(await live(one)).toEqual([]);
    }),
    { numRuns: RUNS, ...JSON.parse(MODEL_REPLAY ?? '{}') },
  );
});
