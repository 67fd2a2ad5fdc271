import { describe, expect, test } from 'vitest';
import { checkIntervalMs, endedIntervalMs, LOOKED_AT_FOR_MS, retryDelayMs } from '../../src/jobs/schedule.ts';
import { fc } from '../support/properties.ts';
import { HOUR_MS, MINUTE_MS, policy, SECOND_MS } from './support/builders.ts';

const anyJitter = fc.double({ min: 0, max: 1, noNaN: true });

describe('a job is checked', () => {
  test.each([
    ['at the shortest interval after a start', 0, 5 * SECOND_MS],
    ['at the shortest interval while the turn is young', 50 * SECOND_MS, 5 * SECOND_MS],
    ['after a tenth of the age of the turn', 5 * MINUTE_MS, 30 * SECOND_MS],
    ['at the longest interval when the turn is old', 6 * HOUR_MS, 60 * SECOND_MS],
    ['at the shortest interval if the clock was set back', -HOUR_MS, 5 * SECOND_MS],
  ])('%s', (_name, turnAgeMs, intervalMs) => {
    expect(checkIntervalMs(turnAgeMs, policy, 0.5)).toBe(intervalMs);
  });

  test('a tenth sooner or later, so that jobs that started together spread', () => {
    expect(checkIntervalMs(5 * MINUTE_MS, policy, 0)).toBe(27 * SECOND_MS);
    expect(checkIntervalMs(5 * MINUTE_MS, policy, 1)).toBe(33 * SECOND_MS);
  });

  test('never faster than the minimum nor slower than the maximum, and never faster with age', () => {
    fc.assert(
      fc.property(fc.nat(HOUR_MS), fc.nat(HOUR_MS), anyJitter, (ageMs, moreMs, jitter) => {
        const intervalMs = checkIntervalMs(ageMs, policy, jitter);
        expect(intervalMs).toBeGreaterThanOrEqual(policy.pollMinIntervalMs);
        expect(intervalMs).toBeLessThanOrEqual(policy.pollMaxIntervalMs);
        expect(checkIntervalMs(ageMs + moreMs, policy, jitter)).toBeGreaterThanOrEqual(intervalMs);
      }),
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
    expect(ages.at(-1)).toBe(LOOKED_AT_FOR_MS);
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
    [6, 160],
    [7, 300],
    [10_000, 300],
  ])('after %i in a row: %i s', (misses, seconds) => {
    expect(retryDelayMs(misses, 0.5)).toBe(seconds * SECOND_MS);
  });

  test('a tenth shorter or longer, so that not all come back at once', () => {
    expect(retryDelayMs(1, 0)).toBe(4_500);
    expect(retryDelayMs(1, 1)).toBe(5_500);
  });
});
