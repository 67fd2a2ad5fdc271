/**
 * TEST_SHARE=2/6: of what takes longest (kills, random lives, benches), play only the second sixth, and of the other
 * long tests, every second file. CI plays one share for each commit, since all of them take longer than people wait.
 * Default: all.
 */
const { TEST_SHARE = '1/1' } = process.env;
const [, number = NaN, shares = NaN] = (/^(\d+)\/(\d+)$/.exec(TEST_SHARE) ?? []).map(Number);
if (!(number >= 1 && number <= shares)) {
  throw new Error(`TEST_SHARE must be like 2/6, but is "${TEST_SHARE}"`);
}

/** Which share is played, and of how many. The first is 1. */
export const share = { number, shares } as const;

/** The first, third and so on if the share's number is odd; the others if it is even. */
export function halfOf<T>(all: readonly T[]): T[] {
  return all.filter((_, index) => shares === 1 || index % 2 !== number % 2);
}

/** Those of this run, spread evenly. All shares together have each once. */
export function shareOf<T>(all: readonly T[]): T[] {
  return all.filter((_, index) => index % shares === number - 1);
}
