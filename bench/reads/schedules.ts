import { type Pace, paceOf } from '../../src/jobs/pace.ts';
import { checkIntervalMs } from '../../src/jobs/schedule.ts';

/** The defaults of the program. */
const policy = { pollMinIntervalMs: 5_000, pollMaxIntervalMs: 60_000, pollGrowth: 0.1 };
const FIXED_INTERVAL_MS = 5_000;
/** So many turns the store remembers. */
const REMEMBERED = 200;

/**
 * How long to wait before the next look at a turn of this age. `pastTurnsMs`: how long the turns of the project that
 * are over took, as far as it was seen; the oldest first. `jitter`: from 0 to 1.
 */
export type Schedule = (turnAgeMs: number, pastTurnsMs: readonly number[], jitter: number) => number;

/** The poller without thought that the others are held against. */
export const fixed: Schedule = () => FIXED_INTERVAL_MS;

export const PROGRAM = 'the program';

/** The program's, and what it does while it knows nothing of past turns. */
export const ours: Readonly<Record<string, Schedule>> = {
  [PROGRAM]: (turnAgeMs, pastTurnsMs, jitter) =>
    checkIntervalMs(turnAgeMs, policy, jitter, knownPace(pastTurnsMs)),
  'back-off': (turnAgeMs, _pastTurnsMs, jitter) => checkIntervalMs(turnAgeMs, policy, jitter),
};

/** By the turns that it comes from: many looks happen between two ends. */
const paces = new WeakMap<readonly number[], { readonly turns: number; readonly pace: Pace | null }>();

function knownPace(pastTurnsMs: readonly number[]): Pace | null {
  const turns = pastTurnsMs.length;
  const known = paces.get(pastTurnsMs);
  if (known?.turns === turns) return known.pace;
  const pace = paceOf(pastTurnsMs.slice(-REMEMBERED), policy);
  paces.set(pastTurnsMs, { turns, pace });
  return pace;
}
