import type { Policy } from './policy.ts';

type Limits = Pick<Policy, 'pollMinIntervalMs' | 'pollMaxIntervalMs'>;

/**
 * How densely the turns of a project are looked at: the looks for each millisecond, by the stretch of age that a turn
 * is in. They lie close together where turns use to end, and far apart elsewhere.
 */
export type Pace = readonly number[];

/** What fewer turns have in common may be chance. */
const ENOUGH_TURNS = 5;
/** A turn counts a hundredth less than the one after it: when turns get longer or shorter, the pace follows. */
const FADING = 0.99;
/** Of the looks that one every shortest interval would take: a quarter, less what is spent while a pace is learned. */
const SHARE_OF_LOOKS = 0.245;
/** The look that sees the end comes after it. */
const LAST_LOOK = 0.5;
/** Short turns are looked at as often as this before they end, whatever their share is. */
const FEWEST_LOOKS = 2;
/** What was never seen can happen: in each stretch it is as if so many more turns had got there, and some ended. */
const UNSEEN_TURNS = 0.3;
const UNSEEN_ENDS = 0.05;

/** Where the stretches end: the first after a second, the others when a turn is √2 times as old; the last never. */
const endsMs = [
  ...Array.from({ length: 36 }, (_, index) => 1_000 * 2 ** (index / 2)),
  Number.POSITIVE_INFINITY,
];

/** A turn that is over: how long it took, and how much that counts. */
interface Turn {
  readonly lengthMs: number;
  readonly weight: number;
}

/**
 * The pace of a project whose last turns took so long, the latest last; null while there are too few to tell. Over
 * turns like these, it takes a quarter of the looks that one every shortest interval would take.
 */
export function paceOf(lengthsMs: readonly number[], limits: Limits): Pace | null {
  if (lengthsMs.length < ENOUGH_TURNS) return null;
  const turns = lengthsMs.map((lengthMs, index) => ({
    lengthMs,
    weight: FADING ** (lengthsMs.length - 1 - index),
  }));
  const weight = sum(turns.map((turn) => turn.weight));
  const livedMs = endsMs.map((_, stretch) => msLivedIn(stretch, turns) / weight);
  // Among all ways to spend so many looks, their density going with the root of the rate of endings costs the least
  // time from an end to the look that sees it, on average.
  const densities = endsMs.map((_, stretch) => Math.sqrt(endingRate(stretch, turns)));
  const wantedLooks = (sum(livedMs) / limits.pollMinIntervalMs) * SHARE_OF_LOOKS - LAST_LOOK;
  return paceWith(Math.max(wantedLooks, FEWEST_LOOKS), densities, livedMs, limits);
}

/** How long after one look the next is due, for a turn that is so old; `looks`: 1, or a bit more or less. */
export function paceIntervalMs(pace: Pace, turnAgeMs: number, looks: number): number {
  let ageMs = turnAgeMs;
  let left = looks;
  for (const [stretch, looksPerMs] of pace.entries()) {
    const endMs = endsMs[stretch] ?? Number.POSITIVE_INFINITY;
    if (endMs <= ageMs) continue;
    const looksHere = (endMs - ageMs) * looksPerMs;
    if (looksHere >= left) return ageMs + left / looksPerMs - turnAgeMs;
    left -= looksHere;
    ageMs = endMs;
  }
  return Number.POSITIVE_INFINITY;
}

/** The densities, all made greater or smaller, so that they come to what is wanted: halving finds by how much. */
function paceWith(
  wantedLooks: number,
  densities: readonly number[],
  livedMs: readonly number[],
  { pollMinIntervalMs, pollMaxIntervalMs }: Limits,
): Pace {
  const paceAt = (power: number) =>
    densities.map((density) =>
      Math.min(Math.max(10 ** power * density, 1 / pollMaxIntervalMs), 1 / pollMinIntervalMs),
    );
  const looksOf = (pace: Pace) =>
    sum(pace.map((looksPerMs, stretch) => looksPerMs * (livedMs[stretch] ?? 0)));
  let low = -10;
  let high = 10;
  while (high - low > 0.001) {
    const middle = (low + high) / 2;
    if (looksOf(paceAt(middle)) < wantedLooks) low = middle;
    else high = middle;
  }
  return paceAt(low);
}

/** How many turns of this age end in a millisecond, as a share of those that get there. */
function endingRate(stretch: number, turns: readonly Turn[]): number {
  const widthMs = (endsMs[stretch] ?? 0) - startMs(stretch);
  const here = turns.filter(({ lengthMs }) => stretchAt(lengthMs) === stretch);
  const ended = sum(here.map(({ weight }) => weight));
  return (ended + UNSEEN_ENDS) / (msLivedIn(stretch, turns) + UNSEEN_TURNS * widthMs);
}

function msLivedIn(stretch: number, turns: readonly Turn[]): number {
  const endMs = endsMs[stretch] ?? 0;
  return sum(
    turns.map(({ lengthMs, weight }) => weight * Math.max(0, Math.min(lengthMs, endMs) - startMs(stretch))),
  );
}

function stretchAt(ageMs: number): number {
  return endsMs.findIndex((endMs) => ageMs < endMs);
}

function startMs(stretch: number): number {
  return endsMs[stretch - 1] ?? 0;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
