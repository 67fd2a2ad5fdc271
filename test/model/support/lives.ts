import { expect } from 'vitest';
import { fc, SEED } from '../../support/properties.ts';
import { share } from '../../support/share.ts';
import { anyLife, anySettings, anyTurns } from './any-life.ts';
import { type Life, live } from './live.ts';

/**
 * MODEL_RUNS: how many lives. MODEL_REPLAY: the seed and path of a counterexample, as JSON; then MODEL_TRACE may
 * name a file for its story.
 */
const { MODEL_RUNS, MODEL_REPLAY } = process.env;
/** The longest that one life may take, on a machine that has other things to do as well. */
export const LIFE_WITHIN_MS = 180_000;

/** So many lives in all shares, unless MODEL_RUNS says otherwise. */
export function runsOr(usual: number): number {
  return Number(MODEL_RUNS ?? Math.ceil(usual / share.shares));
}

/** Lives through so many lives, each in one process by default. Fails if one breaks the promise. */
export async function expectGoodLives(
  runs: number,
  liveOne: (life: Life) => Promise<string[]> = live,
): Promise<void> {
  const mode = fc.constantFrom<'http' | 'socket'>('http', 'socket');
  const life = fc.record({ mode, settings: anySettings, turns: anyTurns, steps: anyLife });
  await fc.assert(
    fc.asyncProperty(life, async (one) => {
      expect(await liveOne(one)).toEqual([]);
    }),
    // Each share has lives of its own.
    { numRuns: runs, seed: SEED + share.number - 1, ...JSON.parse(MODEL_REPLAY ?? '{}') },
  );
}
