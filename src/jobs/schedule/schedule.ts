import type { Policy } from '../policy.ts';
import { isOver, type PullRequestFacts } from '../pull-requests/pull-request.ts';

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

export type Checked = Readonly<{
  turnAgeMs: number;
  lateMs: number;
}>;

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

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const SHORTEST_MS = MINUTE_MS;
const LONGEST_MS = 6 * HOUR_MS;
/** A share of the time since the last activity: some 200 checks in a month. */
const QUIET_SHARE = 1 / 30;
/** By then, a pull request closed by mistake has been reopened. */
const REOPENED_AFTER_MS = 6 * HOUR_MS;
/** Nothing changes until an administrator acts. */
const NO_ACCESS_MS = HOUR_MS;
/** A host may know a new one a little later, and a repository may be out of sight for a while. */
const NOT_FOUND_MS = [MINUTE_MS, 10 * MINUTE_MS, HOUR_MS, 6 * HOUR_MS, 24 * HOUR_MS];

export type LookOutcome = 'seen' | 'not_found' | 'no_access' | 'later';

export type LookedAt = Readonly<{
  outcome: LookOutcome;
  /** How many checks in a row had this outcome, if it was not seen. */
  misses: number;
  /** How long its host asks to be left alone; null: it does not say. */
  waitMs: number | null;
  facts: PullRequestFacts | null;
  /** When a job announced it last. */
  watchedFromMs: number;
  /** When a check last found it changed, or null. */
  changedAtMs: number | null;
  /** When its first reminder is due, or null. */
  reminderAtMs: number | null;
}>;

/**
 * When to check again, or null if that was the last check: from a minute after an activity to six hours after
 * a long silence, and when a reminder is due.
 */
export function nextLookAtMs(
  looked: LookedAt,
  { watchForMs }: { watchForMs: number },
  nowMs: number,
  jitter: number,
): number | null {
  const endMs = looked.watchedFromMs + watchForMs;
  const waitMs = waitAfter(looked, nowMs, jitter);
  if (waitMs === null || nowMs >= endMs) return null;
  const reminderAtMs = looked.reminderAtMs ?? endMs;
  return Math.round(Math.min(nowMs + waitMs, Math.max(reminderAtMs, nowMs), endMs));
}

function waitAfter(looked: LookedAt, nowMs: number, jitter: number): number | null {
  const { outcome, misses, waitMs } = looked;
  switch (outcome) {
    case 'seen':
      return waitAfterSeen(looked, nowMs, jitter);
    case 'later': {
      const doubledMs = SHORTEST_MS * 2 ** Math.min(misses - 1, 10);
      return Math.max(Math.min(doubledMs, HOUR_MS) * spread(jitter), waitMs ?? 0);
    }
    case 'no_access':
      return NO_ACCESS_MS * spread(jitter);
    case 'not_found': {
      const wantedMs = NOT_FOUND_MS[misses - 1];
      return wantedMs === undefined ? null : wantedMs * spread(jitter);
    }
  }
}

function waitAfterSeen({ facts, ...looked }: LookedAt, nowMs: number, jitter: number): number | null {
  const movedAtMs = Math.max(looked.watchedFromMs, looked.changedAtMs ?? 0, facts?.updatedAtMs ?? 0);
  // The host's clock may be ahead, and ours was, if it was set back.
  const quietMs = Math.max(0, nowMs - movedAtMs);
  if (facts !== null && isOver(facts)) {
    return facts.state === 'merged' || quietMs >= REOPENED_AFTER_MS ? null : REOPENED_AFTER_MS - quietMs;
  }
  return Math.min(Math.max(quietMs * QUIET_SHARE, SHORTEST_MS) * spread(jitter), LONGEST_MS);
}
