import { describe, expect, test } from 'vitest';
import {
  allowanceOf,
  readShare,
  type Slowdown,
  slowedDown,
  takeFrom,
} from '../../../src/jobs/schedule/slowdown.ts';
import { MINUTE_MS, SECOND_MS } from '../support/builders.ts';

const START_MS = Date.UTC(2026, 0, 1);
const rejectedAt = (before: Slowdown | null, atMs: number, retryAfterMs: number | null = null) =>
  slowedDown(before, { askedAtMs: atMs, retryAfterMs }, atMs);

describe('a read that the rate limit rejects', () => {
  test('halves the rate, which is whole again ten minutes later', () => {
    const once = rejectedAt(null, START_MS);
    expect(readShare(null, START_MS)).toBe(1);
    expect(readShare(once, START_MS)).toBe(0.5);
    expect(readShare(once, START_MS + 4 * MINUTE_MS)).toBeCloseTo(0.7);
    expect(readShare(once, START_MS + 10 * MINUTE_MS)).toBe(1);
  });

  test('halves what is left of it, if it comes again', () => {
    const twice = rejectedAt(rejectedAt(null, START_MS), START_MS + 1);
    expect(readShare(twice, START_MS + 1)).toBeCloseTo(0.25);
  });

  test('does not halve it again, if it was on its way when the rate was halved', () => {
    const once = rejectedAt(null, START_MS);
    const late = { askedAtMs: START_MS - SECOND_MS, retryAfterMs: null };
    expect(readShare(slowedDown(once, late, START_MS + SECOND_MS), START_MS)).toBe(0.5);
  });

  test('holds up all reads for as long as the API asks, and only then the rate recovers', () => {
    const once = rejectedAt(null, START_MS, 5 * MINUTE_MS);
    expect(once.untilMs).toBe(START_MS + 5 * MINUTE_MS);
    expect(readShare(once, once.untilMs)).toBe(0.5);
    const late = { askedAtMs: START_MS - SECOND_MS, retryAfterMs: 8 * MINUTE_MS };
    expect(slowedDown(once, late, START_MS).untilMs).toBe(START_MS + 8 * MINUTE_MS);
  });
});

/** When one reads who asks for all that there is, again and again, for three minutes. */
function timesOf(cap: number): number[] {
  const allowance = allowanceOf(cap);
  const times: number[] = [];
  for (let [atMs, wholeAtMs] = [START_MS, 0]; atMs < START_MS + 3 * MINUTE_MS; ) {
    const after = takeFrom(allowance, wholeAtMs, 1_000, atMs);
    times.push(...Array<number>(after.count).fill(atMs));
    expect(takeFrom(allowance, after.wholeAtMs, 1, after.againAtMs - 1).count).toBe(0);
    [atMs, wholeAtMs] = [after.againAtMs, after.wholeAtMs];
  }
  return times;
}

describe('the cap on reads per minute', () => {
  test.each([1, 2, 9, 10, 600])('of %i is not exceeded, and used nearly whole', (cap) => {
    const times = timesOf(cap);
    const inAnyMinute = times.map((from) => times.filter((at) => at >= from && at < from + MINUTE_MS).length);
    expect(Math.max(...inAnyMinute)).toBeLessThanOrEqual(cap);
    expect(times.length).toBeGreaterThanOrEqual(3 * cap * 0.9);
  });

  test('lets a twentieth of it go at once, and spreads the rest', () => {
    const times = timesOf(600);
    expect(times.filter((time) => time === START_MS)).toHaveLength(30);
    const pauses = times.slice(30).map((time, index) => time - (times[29 + index] ?? 0));
    expect(Math.min(...pauses)).toBeGreaterThanOrEqual(105);
    expect(Math.max(...pauses)).toBeLessThanOrEqual(106);
  });
});
