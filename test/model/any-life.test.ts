import fc from 'fast-check';
import { expect, test } from 'vitest';
import { anyLife, anySettings, anyTurns } from './support/any-life.ts';
import { live } from './support/live.ts';

/**
 * MODEL_RUNS: how many lives. MODEL_REPLAY: the seed and path of a counterexample, as JSON; then MODEL_TRACE may
 * name a file for its story.
 */
const { MODEL_RUNS, MODEL_REPLAY } = process.env;
const RUNS = Number(MODEL_RUNS ?? 40);
const LIFE_WITHIN_MS = 60_000;

test('whatever happens to the whole program, nothing is lost, doubled or left in silence', {
  timeout: RUNS * LIFE_WITHIN_MS,
}, async () => {
  const life = fc.record({
    mode: fc.constantFrom('http', 'socket'),
    settings: anySettings,
    turns: anyTurns,
    steps: anyLife,
  });
  await fc.assert(
    fc.asyncProperty(life, async (one) => {
      expect(await live(one)).toEqual([]);
    }),
    { numRuns: RUNS, ...JSON.parse(MODEL_REPLAY ?? '{}') },
  );
});
