import type { Policy } from './decision.ts';
import { type Pace, paceIntervalMs } from './pace.ts';

type PollPolicy = Pick<Policy, 'pollMinIntervalMs' | 'pollMaxIntervalMs' | 'pollGrowth'>;

const JITTER_SHARE = 0.2;
const FIRST_RETRY_MS = 5_000;
const LONGEST_RETRY_MS = 300_000;

/**
 * How long to wait before the next check, inside the configured minimum and maximum. What is known of the project's
 * past turns is its `pace`: looks lie close together at ages where turns use to end. Without one the wait is a fixed
 * share of the turn's age, so a young turn is read often and an old one seldom. `jitter` (0 to 1) spreads jobs that
 * started together.
 */
export function checkIntervalMs(
  turnAgeMs: number,
  policy: PollPolicy,
  jitter: number,
  pace: Pace | null = null,
): number {
  const wantedMs =
    pace === null
      ? turnAgeMs * policy.pollGrowth * spread(jitter)
      : paceIntervalMs(pace, turnAgeMs, spread(jitter));
  return Math.round(Math.min(Math.max(wantedMs, policy.pollMinIntervalMs), policy.pollMaxIntervalMs));
}

/** How long to wait after the `misses`-th failure in a row (1 is the first): doubling, with a ceiling. */
export function retryDelayMs(misses: number, jitter: number): number {
  const doubledMs = FIRST_RETRY_MS * 2 ** Math.min(misses - 1, 10);
  return Math.round(Math.min(doubledMs, LONGEST_RETRY_MS) * spread(jitter));
}

function spread(jitter: number): number {
  return 1 - JITTER_SHARE / 2 + JITTER_SHARE * jitter;
}
