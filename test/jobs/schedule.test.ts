import { describe, expect, test } from 'vitest';
import { checkIntervalMs, retryDelayMs } from '../../src/jobs/schedule.ts';
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
