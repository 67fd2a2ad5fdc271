import { type Pace, paceIntervalMs } from './pace.ts';
import type { Policy } from './policy.ts';

type PollPolicy = Pick<Policy, 'pollMinIntervalMs' | 'pollMaxIntervalMs' | 'pollGrowth'>;

const JITTER_SHARE = 0.2;
const FIRST_RETRY_MS = 5_000;
const LONGEST_RETRY_MS = 300_000;
/** How much longer than the longest interval those wait that nobody asks for any more. */
const NEGLECTED_TIMES = 10;
/** An ended job is looked at until nothing has changed for so long. */
export const LOOKED_AT_FOR_MS = 24 * 3_600_000;
/** Some 27 looks in a day, with intervals of two seconds and more. */
const ENDED_GROWTH = 0.5;
const LONGEST_ENDED_RETRY_MS = 30 * 60_000;

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

/** Between the checks of a job that nobody asks for any more: no job without trouble waits longer. */
export function neglectedIntervalMs({ pollMaxIntervalMs }: Pick<PollPolicy, 'pollMaxIntervalMs'>): number {
  return pollMaxIntervalMs * NEGLECTED_TIMES;
}

/**
 * How long after a look at a job that has ended the next one is due, or null if it was the last. The distances grow
 * with the time for which nothing has changed: what is late by minutes is seen within minutes. The last look comes
 * at the end of the time.
 */
export function endedIntervalMs(
  unchangedMs: number,
  { pollMinIntervalMs }: Pick<PollPolicy, 'pollMinIntervalMs'>,
  jitter: number,
): number | null {
  if (unchangedMs >= LOOKED_AT_FOR_MS) return null;
  const wantedMs = Math.max(unchangedMs * ENDED_GROWTH * spread(jitter), pollMinIntervalMs);
  return Math.round(Math.min(wantedMs, LOOKED_AT_FOR_MS - unchangedMs));
}

/** How long to wait after a look at an ended job that failed, or that there was no room for. */
export function endedRetryMs(unchangedMs: number, jitter: number): number {
  const wantedMs = unchangedMs * ENDED_GROWTH * spread(jitter);
  return Math.round(Math.min(Math.max(wantedMs, FIRST_RETRY_MS), LONGEST_ENDED_RETRY_MS));
}

/** How long to wait after the `misses`-th failure in a row (1 is the first): doubling, with a ceiling. */
export function retryDelayMs(misses: number, jitter: number): number {
  const doubledMs = FIRST_RETRY_MS * 2 ** Math.min(misses - 1, 10);
  return Math.round(Math.min(doubledMs, LONGEST_RETRY_MS) * spread(jitter));
}

function spread(jitter: number): number {
  return 1 - JITTER_SHARE / 2 + JITTER_SHARE * jitter;
}
