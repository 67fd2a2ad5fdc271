import { describe, expect, test } from 'vitest';
import {
  checkIntervalMs,
  ENDED_CHECKS_MS,
  endedIntervalMs,
  retryDelayMs,
} from '../../../src/jobs/schedule/schedule.ts';
import { fc } from '../../support/properties.ts';
import { HOUR_MS, MINUTE_MS, policy, SECOND_MS } from '../support/builders.ts';

const anyJitter = fc.double({ min: 0, max: 1, noNaN: true });

const anyAge = fc.integer({ min: -HOUR_MS, max: 30 * 24 * HOUR_MS });
const anyLateness = fc.nat(2 * HOUR_MS);
const anyLimits = fc
  .record({ min: fc.integer({ min: 100, max: HOUR_MS }), more: fc.nat(24 * HOUR_MS) })
  .map(({ min, more }) => ({ pollMinIntervalMs: min, pollMaxIntervalMs: min + more }));

describe('an open job is checked', () => {
  test.each([
    ['after the shortest interval, if checks come in time', HOUR_MS, 0, 5],
    ['after the shortest interval while the turn is young, however late its checks come', MINUTE_MS, 20, 5],
    ['later if the turn is older: by half of what its check came late', HOUR_MS, 20, 15],
    ['so that no more than the longest interval is between two checks', HOUR_MS, 45, 15],
    ['in turn with all others, if not even the longest interval can be kept', HOUR_MS, 70, 5],
    ['after the shortest interval, if the clock was set back', -HOUR_MS, 0, 5],
  ])('%s', (_name, turnAgeMs, lateSeconds, seconds) => {
    const checked = { turnAgeMs, lateMs: lateSeconds * SECOND_MS };
    expect(checkIntervalMs(checked, policy, 0)).toBe(seconds * SECOND_MS);
  });

  test('up to a tenth later, so that jobs that started together spread', () => {
    expect(checkIntervalMs({ turnAgeMs: 0, lateMs: 0 }, policy, 1)).toBe(5_500);
  });

  test('never sooner than the shortest interval, and never later than the longest', () => {
    fc.assert(
      fc.property(anyAge, anyLateness, anyLimits, anyJitter, (turnAgeMs, lateMs, limits, jitter) => {
        const waitMs = checkIntervalMs({ turnAgeMs, lateMs }, limits, jitter);
        expect(waitMs).toBeGreaterThanOrEqual(limits.pollMinIntervalMs);
        expect(waitMs).toBeLessThanOrEqual(limits.pollMaxIntervalMs);
      }),
    );
  });

  test('young turns first: no older turn is due before a younger one whose check came as late', () => {
    fc.assert(
      fc.property(
        anyAge,
        fc.nat(HOUR_MS),
        anyLateness,
        anyLimits,
        anyJitter,
        (ageMs, moreMs, lateMs, limits, jitter) => {
          const waitMs = (turnAgeMs: number) => checkIntervalMs({ turnAgeMs, lateMs }, limits, jitter);
          expect(waitMs(ageMs + moreMs)).toBeGreaterThanOrEqual(waitMs(ageMs));
        },
      ),
    );
  });
});

describe('a job that has ended is looked at', () => {
  /** How long after the end each look is. */
  function looks(jitter: () => number, pollMinIntervalMs = policy.pollMinIntervalMs): number[] {
    const ages: number[] = [];
    let ageMs = 0;
    for (;;) {
      const waitMs = endedIntervalMs(ageMs, { pollMinIntervalMs }, jitter());
      if (waitMs === null) return ages;
      ageMs += waitMs;
      ages.push(ageMs);
    }
  }

  test('at distances that grow with the time since then, the last time after a day', () => {
    const ages = looks(() => 0.5);
    expect(ages.slice(0, 5)).toEqual([5_000, 10_000, 15_000, 22_500, 33_750]);
    expect(ages.at(-1)).toBe(ENDED_CHECKS_MS);
  });

  test('40 times at most, whatever chance says, also at a shortest interval of half a second', () => {
    fc.assert(
      fc.property(
        fc.infiniteStream(anyJitter),
        fc.constantFrom(500, 2_000, 60_000),
        (jitters, shortestMs) => {
          const next = () => jitters.next().value ?? 0;
          expect(looks(next, shortestMs).length).toBeLessThanOrEqual(40);
        },
      ),
    );
  });
});

describe('after a failure the next try waits', () => {
  test.each([
    [1, 5],
    [2, 10],
    [3, 20],
    [4, 40],
    [5, 60],
    [10_000, 60],
  ])('after %i in a row: %i s', (misses, seconds) => {
    expect(retryDelayMs(misses, 0.5)).toBe(seconds * SECOND_MS);
  });

  test('a tenth shorter or longer, so that not all come back at once', () => {
    expect(retryDelayMs(1, 0)).toBe(4_500);
    expect(retryDelayMs(1, 1)).toBe(5_500);
    expect(retryDelayMs(9, 1)).toBe(60 * SECOND_MS);
  });
});
