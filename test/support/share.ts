/**
 * TEST_SHARE=2/6: of what takes longest (kills, random lives, removed features, benches), play only the second sixth,
 * and of the other long tests, every third file. CI plays one share for each commit, since all of them take longer than
 * people wait. Default: all.
 */
const { TEST_SHARE = '1/1' } = process.env;
const [, number = NaN, shares = NaN] = (/^(\d+)\/(\d+)$/.exec(TEST_SHARE) ?? []).map(Number);
if (!(number >= 1 && number <= shares)) {
  throw new Error(`TEST_SHARE must be like 2/6, but is "${TEST_SHARE}"`);
}

/** Which share is played, and of how many. The first is 1. */
export const share = { number, shares } as const;

/**
 * Those of this run, dealt to so many parts: all shares together have each at least once, and none is without one.
 *
 * @param parts default: as many as there are
 */
export function shareOf<T>(all: readonly T[], parts = all.length): T[] {
  const dealt = Math.min(shares, parts);
  return all.filter((_, index) => index % dealt === (number - 1) % dealt);
}
