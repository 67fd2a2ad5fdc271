import { isOver, type PullRequestFacts } from '../pull-requests/pull-request.ts';
import { spread } from './schedule.ts';

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

/** A pull request that was just checked. */
export interface LookedAt {
  readonly outcome: LookOutcome;
  /** How many checks in a row had this outcome, if it was not seen. */
  readonly misses: number;
  /** How long its host asks to be left alone; null: it does not say. */
  readonly waitMs: number | null;
  /** The last seen facts, or null. */
  readonly facts: PullRequestFacts | null;
  /** When a job announced it last. */
  readonly watchedFromMs: number;
  /** When a check last found it changed, or null. */
  readonly changedAtMs: number | null;
  /** When its first reminder is due, or null. */
  readonly reminderAtMs: number | null;
}

/**
 * When to check again, or null if that was the last check: from a minute after an activity to six hours after
 * a long silence, and when a reminder is due.
 */
export function nextLookAtMs(
  looked: LookedAt,
  { watchForMs }: { readonly watchForMs: number },
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
