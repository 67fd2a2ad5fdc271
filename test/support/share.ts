/**
 * TEST_SHARE=2/6: of what takes longest (kills, random lives, benches), play only the second sixth, and of the other
 * long tests, every third file. CI plays one share for each commit, since all of them take longer than people wait.
 * Default: all.
 */
const { TEST_SHARE = '1/1' } = process.env;
const [, number = NaN, shares = NaN] = (/^(\d+)\/(\d+)$/.exec(TEST_SHARE) ?? []).map(Number);
if (!(number >= 1 && number <= shares)) {
  throw new Error(`TEST_SHARE must be like 2/6, but is "${TEST_SHARE}"`);
}

/** Which share is played, and of how many. The first is 1. */
export const share = { number, shares } as const;

/** Every third: with three shares or more, each is in a third of the shares. */
export function thirdOf<T>(all: readonly T[]): T[] {
  const parts = Math.min(shares, 3);
  return all.filter((_, index) => index % parts === number % parts);
}

/** Those of this run, spread evenly. All shares together have each once. */
export function shareOf<T>(all: readonly T[]): T[] {
  return all.filter((_, index) => index % shares === number - 1);
}
