import { describe, expect, test } from 'vitest';
import { type CheckedPullRequest, nextCheckAtMs } from '../../../src/features/pull-requests/decide.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const policy = { watchForMs: 30 * DAY_MS };
const START_MS = 1_800_000_000_000;

function aLook(fields: Partial<CheckedPullRequest> = {}): CheckedPullRequest {
  return {
    outcome: 'seen',
    misses: 0,
    waitMs: null,
    facts: { state: 'open' },
    watchedFromMs: START_MS,
    changedAtMs: null,
    reminderAtMs: null,
    ...fields,
  };
}

/** How long the wait is so long after the announcement; null: no look follows. */
function waitMs(ageMs: number, fields: Partial<CheckedPullRequest> = {}, jitter = 0.5): number | null {
  const nowMs = START_MS + ageMs;
  const nextAtMs = nextCheckAtMs(aLook(fields), policy, nowMs, jitter);
  return nextAtMs === null ? null : nextAtMs - nowMs;
}

describe('a pull request is looked at (P3)', () => {
  test.each([
    [0, MINUTE_MS],
    [30 * MINUTE_MS, MINUTE_MS],
    [2 * HOUR_MS, 4 * MINUTE_MS],
    [DAY_MS, 48 * MINUTE_MS],
    [8 * DAY_MS, 6 * HOUR_MS],
    [29 * DAY_MS, 6 * HOUR_MS],
  ])(
    'the more seldom, the longer it is quiet: %i ms after the announcement, for %i ms',
    (ageMs, expectedMs) => {
      expect(waitMs(ageMs)).toBe(expectedMs);
    },
  );

  test('as often as a new one when something has happened to it', () => {
    expect(waitMs(9 * DAY_MS, { changedAtMs: START_MS + 9 * DAY_MS })).toBe(MINUTE_MS);
    const updated = { state: 'open', updatedAtMs: START_MS + 9 * DAY_MS - HOUR_MS } as const;
    expect(waitMs(9 * DAY_MS, { facts: updated })).toBe(2 * MINUTE_MS);
  });

  test('no less often because the clock of its host is ahead, or ours was', () => {
    expect(waitMs(DAY_MS, { facts: { state: 'open', updatedAtMs: START_MS + 400 * DAY_MS } })).toBe(
      MINUTE_MS,
    );
    expect(waitMs(0, { facts: { state: 'closed' }, changedAtMs: START_MS + HOUR_MS })).toBe(6 * HOUR_MS);
  });

  test('when its reminder is due, if that is earlier', () => {
    expect(waitMs(2 * DAY_MS, { reminderAtMs: START_MS + 2 * DAY_MS + 5_000 })).toBe(5_000);
    expect(waitMs(2 * DAY_MS, { reminderAtMs: START_MS + 3 * DAY_MS })).toBe(96 * MINUTE_MS);
  });

  test('no more once it is merged; once more in six hours if it was closed, since it may be reopened', () => {
    expect(waitMs(DAY_MS, { facts: { state: 'merged' } })).toBeNull();
    const closed = { facts: { state: 'closed' }, changedAtMs: START_MS + DAY_MS } as const;
    expect(waitMs(DAY_MS, closed)).toBe(6 * HOUR_MS);
    expect(waitMs(DAY_MS + HOUR_MS, closed)).toBe(5 * HOUR_MS);
    expect(waitMs(DAY_MS + 6 * HOUR_MS, closed)).toBeNull();
  });

  test('for a month, with the last look at its end', () => {
    expect(waitMs(30 * DAY_MS - HOUR_MS)).toBe(HOUR_MS);
    expect(waitMs(30 * DAY_MS)).toBeNull();
    expect(waitMs(31 * DAY_MS, { outcome: 'later', misses: 1 })).toBeNull();
    expect(waitMs(31 * DAY_MS, { outcome: 'no_access', misses: 1 })).toBeNull();
  });
});

describe('after a look that saw nothing (P4)', () => {
  test('a host that is away or at its limit is left alone: a minute, then longer, and as long as it asks', () => {
    const waits = [1, 2, 3, 7, 100].map((misses) => waitMs(0, { outcome: 'later', misses }));
    expect(waits).toEqual([MINUTE_MS, 2 * MINUTE_MS, 4 * MINUTE_MS, HOUR_MS, HOUR_MS]);
    expect(waitMs(0, { outcome: 'later', misses: 1, waitMs: 50 * MINUTE_MS })).toBe(50 * MINUTE_MS);
  });

  test('without access, it is tried every hour, until a token is mended', () => {
    for (const misses of [1, 9, 600]) expect(waitMs(0, { outcome: 'no_access', misses })).toBe(HOUR_MS);
  });

  test('one that is not there is looked for a few times more, then no more', () => {
    const waits = [1, 2, 3, 4, 5, 6].map((misses) => waitMs(0, { outcome: 'not_found', misses }));
    expect(waits).toEqual([MINUTE_MS, 10 * MINUTE_MS, HOUR_MS, 6 * HOUR_MS, DAY_MS, null]);
  });
});
