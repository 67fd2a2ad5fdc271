import { expect } from 'vitest';
import { fc, SEED } from '../../support/properties.ts';
import { shareOf } from '../../support/share.ts';
import { anyLife, anySettings, anyTurns } from './any-life.ts';
import { type Life, live } from './live.ts';

/**
 * MODEL_RUNS: how many lives, all of one seed. MODEL_REPLAY: the seed and path of a counterexample, as JSON.
 */
const { MODEL_RUNS, MODEL_REPLAY } = process.env;
/** Lives are drawn from so many seeds, which the shares divide among them. */
const SEEDS = 8;
/** The longest that one life may take, on a machine that has other things to do as well. */
export const LIFE_WITHIN_MS = 180_000;

/** The seeds of this share's lives; all shares together have each once. */
export const SEEDS_OF_SHARE: readonly number[] =
  MODEL_RUNS === undefined && MODEL_REPLAY === undefined
    ? shareOf(Array.from({ length: SEEDS }, (_, at) => SEED + at))
    : [SEED];

/** So many lives of each seed, unless MODEL_RUNS says otherwise. */
export function runsOr(usual: number): number {
  return Number(MODEL_RUNS ?? usual);
}

/** Lives through so many lives of each seed, each in one process by default. Fails if one breaks the promise. */
export async function expectGoodLives(
  runs: number,
  seeds: readonly number[],
  liveOne: (life: Life) => Promise<string[]> = live,
): Promise<void> {
  const mode = fc.constantFrom<'http' | 'socket'>('http', 'socket');
  const life = fc.record({ mode, settings: anySettings, turns: anyTurns, steps: anyLife });
  for (const seed of seeds) {
    await fc.assert(
      fc.asyncProperty(life, async (one) => {
        expect(await liveOne(one)).toEqual([]);
      }),
      // Shrinking takes longer than anybody waits: whoever replays a counterexample has it shrunk.
      { numRuns: runs, seed, endOnFailure: MODEL_REPLAY === undefined, ...JSON.parse(MODEL_REPLAY ?? '{}') },
    );
  }
}
