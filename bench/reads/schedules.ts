import { checkIntervalMs } from '../../src/jobs/schedule.ts';

/** The defaults of the program. */
const policy = { pollMinIntervalMs: 5_000, pollMaxIntervalMs: 60_000, pollGrowth: 0.1 };
const FIXED_INTERVAL_MS = 5_000;

/**
 * How long to wait before the next look at a turn of this age. `pastTurnsMs`: how long the turns of the project that
 * are over took, as far as it was seen; the oldest first. `jitter`: from 0 to 1.
 */
export type Schedule = (turnAgeMs: number, pastTurnsMs: readonly number[], jitter: number) => number;

/** The poller without thought that the others are held against. */
export const fixed: Schedule = () => FIXED_INTERVAL_MS;

/** The program's. */
export const ours: Readonly<Record<string, Schedule>> = {
  'back-off': (turnAgeMs, _pastTurnsMs, jitter) => checkIntervalMs(turnAgeMs, policy, jitter),
};
