/** Numbers from 0 to 1, as `Math.random` gives them. */
export type Random = () => number;

/** The same numbers for the same seed (mulberry32). */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** One of the choices, each as often as its share of all says. */
export function choose<T>(random: Random, choices: readonly (readonly [share: number, choice: T])[]): T {
  const total = choices.reduce((sum, [share]) => sum + share, 0);
  let left = random() * total;
  for (const [share, choice] of choices) {
    left -= share;
    if (left < 0) return choice;
  }
  const last = choices.at(-1);
  if (last === undefined) throw new Error('there is nothing to choose from');
  return last[1];
}
