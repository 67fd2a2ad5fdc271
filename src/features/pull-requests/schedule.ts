import {
  isOver,
  type PullRequestFacts,
  type SeenPullRequest,
} from '../../jobs/pull-requests/pull-request.ts';
import { spread } from '../../jobs/schedule/schedule.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const SHORTEST_MS = MINUTE_MS;
const LONGEST_MS = 6 * HOUR_MS;
/** Of the time since the last activity: some 200 checks a month. */
const QUIET_SHARE = 1 / 30;
const REOPENED_WITHIN_MS = 6 * HOUR_MS;
const NO_ACCESS_MS = HOUR_MS;
/** Hosts may know new ones late, or hide a repository for a while. */
const NOT_FOUND_MS = [MINUTE_MS, 10 * MINUTE_MS, HOUR_MS, 6 * HOUR_MS, 24 * HOUR_MS];

export type CheckOutcome = 'seen' | 'not_found' | 'no_access' | 'later';

export type CheckedPullRequest = Readonly<{
  outcome: CheckOutcome;
  /** Checks in a row with this outcome; 0: seen. */
  misses: number;
  waitMs: number | null;
  facts: PullRequestFacts | null;
  /** When a job last announced it. */
  watchedFromMs: number;
  changedAtMs: number | null;
  reminderAtMs: number | null;
}>;

/** Null: never. */
export function nextCheckAtMs(
  checked: CheckedPullRequest,
  { watchForMs }: { watchForMs: number },
  nowMs: number,
  jitter: number,
): number | null {
  const endMs = checked.watchedFromMs + watchForMs;
  const waitMs = waitAfter(checked, nowMs, jitter);
  if (waitMs === null || nowMs >= endMs) return null;
  const reminderAtMs = checked.reminderAtMs ?? endMs;
  return Math.round(Math.min(nowMs + waitMs, Math.max(reminderAtMs, nowMs), endMs));
}

function waitAfter(checked: CheckedPullRequest, nowMs: number, jitter: number): number | null {
  const { outcome, misses, waitMs, facts } = checked;
  if (outcome === 'no_access') return NO_ACCESS_MS * spread(jitter);
  if (outcome === 'not_found') {
    const wantedMs = NOT_FOUND_MS[misses - 1];
    return wantedMs === undefined ? null : wantedMs * spread(jitter);
  }
  if (outcome === 'later') {
    const doubledMs = SHORTEST_MS * 2 ** Math.min(misses - 1, 10);
    return Math.max(Math.min(doubledMs, HOUR_MS) * spread(jitter), waitMs ?? 0);
  }
  const activeAtMs = Math.max(checked.watchedFromMs, checked.changedAtMs ?? 0, facts?.updatedAtMs ?? 0);
  // Either clock may have been set back.
  const quietMs = Math.max(0, nowMs - activeAtMs);
  if (facts === null || !isOver(facts)) {
    return Math.min(Math.max(quietMs * QUIET_SHARE, SHORTEST_MS) * spread(jitter), LONGEST_MS);
  }
  const isFinal = facts.state === 'merged' || quietMs >= REOPENED_WITHIN_MS;
  return isFinal ? null : REOPENED_WITHIN_MS - quietMs;
}

/** The first after `afterMs` without activity, by the host's clock; others only on request. */
export function reminderDueAtMs(
  { facts: { state, updatedAtMs }, reminders, remindAfterMs }: SeenPullRequest,
  afterMs: number,
): number | null {
  if (state !== 'open' || afterMs === 0 || remindAfterMs === null) return null;
  if (reminders > 0) return remindAfterMs ?? null;
  return updatedAtMs === undefined ? null : Math.max(updatedAtMs + afterMs, remindAfterMs ?? 0);
}
