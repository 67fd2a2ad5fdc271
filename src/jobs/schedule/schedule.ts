import type { Policy } from '../policy.ts';

type PollPolicy = Pick<Policy, 'pollMinIntervalMs' | 'pollMaxIntervalMs'>;

const JITTER_SHARE = 0.2;
/** How long a turn is young: people still watch the thread, and many turns end soon. */
const YOUNG_FOR_MS = 120_000;
/** Share of a check's lateness by which an older turn waits longer for its next one. */
const OLDER_WAIT_SHARE = 0.5;
/**
 * Nobody notices this delay, while twenty checks at different moments of a second would use all of its reads.
 */
const TOGETHER_MS = 50;
const SHORTEST_CARD_MS = 60_000;
const LONGEST_CARD_MS = 300_000;
const CARD_AGE_SHARE = 0.25;
/** Reads of a job per edit of its card: 600 reads a minute allow 24 edits a minute. */
const CARDS_TO_CHECKS = 25;
const FIRST_RETRY_MS = 5_000;
/** A person may wait, and wants to know soon that an outage is over. */
export const LONGEST_RETRY_MS = 60_000;
/** How much longer than the longest interval neglected jobs wait. */
const NEGLECTED_TIMES = 10;
/** An ended job is checked until nothing has changed for this long. */
export const LOOKED_AT_FOR_MS = 24 * 3_600_000;
/** Some 27 checks in a day, for intervals from two seconds. */
const ENDED_GROWTH = 0.5;
const LONGEST_ENDED_RETRY_MS = 30 * 60_000;

/** A check that was just made. */
export interface Checked {
  readonly turnAgeMs: number;
  /** How long it was overdue. */
  readonly lateMs: number;
}

/**
 * The wait before an open job's next check: the shortest interval. The lateness of the last one shows how
 * scarce reads are: then an older turn waits longer, so that young turns come first, but never beyond the
 * longest interval. `jitter` (0 to 1) spreads jobs that started together.
 */
export function checkIntervalMs({ turnAgeMs, lateMs }: Checked, policy: PollPolicy, jitter: number): number {
  const { pollMinIntervalMs: minMs, pollMaxIntervalMs: maxMs } = policy;
  const shortestMs = Math.min(Math.max(minMs * spread(jitter), minMs), maxMs);
  if (turnAgeMs < YOUNG_FOR_MS) return Math.round(shortestMs);
  const wantedMs = Math.min(shortestMs + lateMs * OLDER_WAIT_SHARE, maxMs - lateMs);
  return Math.round(Math.max(wantedMs, shortestMs));
}

/** When a check that may begin then is due, together with those that may begin a moment before. */
export function dueTogetherMs(atMs: number): number {
  return Math.ceil(atMs / TOGETHER_MS) * TOGETHER_MS;
}

/**
 * How long a card may show the same duration. Older turns are shown less exactly; where many jobs share the
 * reads, so that checks come late, they share card edits, too: Slack takes some fifty a minute.
 */
export function cardIntervalMs({ turnAgeMs, lateMs }: Checked): number {
  const wantedMs = Math.min(Math.max(turnAgeMs * CARD_AGE_SHARE, SHORTEST_CARD_MS), LONGEST_CARD_MS);
  return Math.round(Math.max(wantedMs, lateMs * CARDS_TO_CHECKS));
}

/** Between checks of a neglected job: no job without trouble waits longer. */
export function neglectedIntervalMs({ pollMaxIntervalMs }: Pick<PollPolicy, 'pollMaxIntervalMs'>): number {
  return pollMaxIntervalMs * NEGLECTED_TIMES;
}

/**
 * How long after a check of an ended job the next one is due, or null if it was the last. The intervals grow
 * with the time without a change: what is late by minutes is seen within minutes. The last check is at the
 * end of the time.
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

/** The wait after a check of an ended job that failed or did not fit the quota. */
export function endedRetryMs(unchangedMs: number, jitter: number): number {
  const wantedMs = unchangedMs * ENDED_GROWTH * spread(jitter);
  return Math.round(Math.min(Math.max(wantedMs, FIRST_RETRY_MS), LONGEST_ENDED_RETRY_MS));
}

/** The wait after the `misses`-th failure in a row (1 is the first): doubling, with a ceiling. */
export function retryDelayMs(misses: number, jitter: number): number {
  const doubledMs = FIRST_RETRY_MS * 2 ** Math.min(misses - 1, 10);
  return Math.round(Math.min(doubledMs * spread(jitter), LONGEST_RETRY_MS));
}

/** From a little less than 1 to a little more. */
export function spread(jitter: number): number {
  return 1 - JITTER_SHARE / 2 + JITTER_SHARE * jitter;
}

/** Longer than a service may ask for a pause, and than the hourly budget is used up. */
export const LONGEST_PAUSE_MS = 2 * 3_600_000;

/** The clocks of replicas differ by less. */
export const CLOCKS_DIFFER_MS = 60_000;

/**
 * Whether a wait until then continues. One longer than any such wait was planned by a clock that was ahead,
 * and is over.
 */
export function isWaitOn(untilMs: number, longestMs: number, nowMs: number): boolean {
  return nowMs < untilMs && untilMs <= nowMs + longestMs + CLOCKS_DIFFER_MS;
}
