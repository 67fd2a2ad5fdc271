import type { Policy } from '../policy.ts';

type PollPolicy = Pick<Policy, 'pollMinIntervalMs' | 'pollMaxIntervalMs'>;

const JITTER_SHARE = 0.2;
/** People still watch. */
const YOUNG_FOR_MS = 120_000;
/** How much of a check's delay is added to the next wait. */
const OLDER_WAIT_SHARE = 0.5;
/** Batches checks, which would use up a second's reads one by one. */
const TOGETHER_MS = 50;
const FIRST_RETRY_MS = 5_000;
/** A person may wait. */
export const LONGEST_RETRY_MS = 60_000;
/** Counts from the last change. */
export const ENDED_CHECKS_MS = 24 * 3_600_000;
const ENDED_GROWTH = 0.5;

export type Checked = Readonly<{ turnAgeMs: number; lateMs: number }>;

/** A late check means scarce reads, so older turns wait. `jitter`: 0 to 1. */
export function checkIntervalMs({ turnAgeMs, lateMs }: Checked, policy: PollPolicy, jitter: number): number {
  const { pollMinIntervalMs: minMs, pollMaxIntervalMs: maxMs } = policy;
  const shortestMs = Math.min(Math.max(minMs * spread(jitter), minMs), maxMs);
  if (turnAgeMs < YOUNG_FOR_MS) return Math.round(shortestMs);
  const wantedMs = Math.min(shortestMs + lateMs * OLDER_WAIT_SHARE, maxMs - lateMs);
  return Math.round(Math.max(wantedMs, shortestMs));
}

export function dueTogetherMs(atMs: number): number {
  return Math.ceil(atMs / TOGETHER_MS) * TOGETHER_MS;
}

export function endedIntervalMs(
  unchangedMs: number,
  { pollMinIntervalMs }: Pick<PollPolicy, 'pollMinIntervalMs'>,
  jitter: number,
): number | null {
  if (unchangedMs >= ENDED_CHECKS_MS) return null;
  const wantedMs = Math.max(unchangedMs * ENDED_GROWTH * spread(jitter), pollMinIntervalMs);
  return Math.round(Math.min(wantedMs, ENDED_CHECKS_MS - unchangedMs));
}

/** `misses`: 1 for the first. */
export function retryDelayMs(misses: number, jitter: number): number {
  const doubledMs = FIRST_RETRY_MS * 2 ** Math.min(misses - 1, 10);
  return Math.round(Math.min(doubledMs * spread(jitter), LONGEST_RETRY_MS));
}

export function spread(jitter: number): number {
  return 1 - JITTER_SHARE / 2 + JITTER_SHARE * jitter;
}

/** Exceeds pauses by a service or an hourly budget. */
export const LONGEST_PAUSE_MS = 2 * 3_600_000;

/** Replicas' clocks differ by less. */
export const CLOCKS_DIFFER_MS = 60_000;

/** A wait longer than `longestMs` came from a clock that was ahead. */
export function isWaitOn(untilMs: number, longestMs: number, nowMs: number): boolean {
  return nowMs < untilMs && untilMs <= nowMs + longestMs + CLOCKS_DIFFER_MS;
}
