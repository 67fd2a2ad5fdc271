import { describe, expect, test } from 'vitest';
import { allowanceOf, takeFrom } from '../../../src/jobs/schedule/slowdown.ts';
import { fc } from '../../support/properties.ts';

const MINUTE_MS = 60_000;
const START_MS = Date.UTC(2026, 0, 1);

/** What readers get that ask at these times, each for so many. */
function taken(cap: number, asks: Iterable<{ readonly atMs: number; readonly wanted: number }>): number[] {
  const allowance = allowanceOf(cap);
  const times: number[] = [];
  let wholeAtMs = 0;
  for (const { atMs, wanted } of asks) {
    const after = takeFrom(allowance, wholeAtMs, wanted, atMs);
    wholeAtMs = after.wholeAtMs;
    times.push(...Array.from({ length: after.count }, () => atMs));
  }
  return times;
}

/** Who asks again when there is more, until the time is over. */
function* asksAllTheTime(cap: number, untilMs: number) {
  const allowance = allowanceOf(cap);
  let wholeAtMs = 0;
  for (let atMs = START_MS; atMs < untilMs; ) {
    yield { atMs, wanted: 1_000 };
    const after = takeFrom(allowance, wholeAtMs, 1_000, atMs);
    wholeAtMs = after.wholeAtMs;
    expect(after.againAtMs).toBeGreaterThan(atMs);
    atMs = after.againAtMs;
  }
}

function mostInAnyMinute(times: readonly number[]): number {
  const counts = times.map(
    (from, index) => times.slice(index).filter((time) => time < from + MINUTE_MS).length,
  );
  return Math.max(0, ...counts);
}

describe('the cap on reads per minute', () => {
  test('is never passed in any minute, whenever reads are asked for', () => {
    const asks = fc.array(
      fc.record({
        gapMs: fc.oneof(fc.constant(0), fc.nat(50), fc.nat(70_000)),
        wanted: fc.integer({ min: 1, max: 30 }),
      }),
      { minLength: 1, maxLength: 100 },
    );
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 60 }), asks, (cap, list) => {
        let atMs = START_MS;
        const times = taken(
          cap,
          list.map(({ gapMs, wanted }) => {
            atMs += gapMs;
            return { atMs, wanted };
          }),
        );
        expect(mostInAnyMinute(times)).toBeLessThanOrEqual(cap);
      }),
    );
  });

  for (const cap of [1, 2, 9, 10, 600]) {
    test(`of ${cap} is not exceeded by a reader that asks all the time, and is used nearly whole`, () => {
      const times = taken(cap, asksAllTheTime(cap, START_MS + 3 * MINUTE_MS));
      expect(mostInAnyMinute(times)).toBeLessThanOrEqual(cap);
      expect(times.length).toBeGreaterThanOrEqual(3 * cap * 0.9);
    });
  }

  test('lets a twentieth of it go at once, and spreads the rest', () => {
    const times = taken(600, asksAllTheTime(600, START_MS + MINUTE_MS));
    expect(times.filter((time) => time === START_MS)).toHaveLength(30);
    const pauses = times.slice(30).map((time, index) => time - (times[29 + index] ?? 0));
    expect(Math.min(...pauses)).toBeGreaterThanOrEqual(105);
    expect(Math.max(...pauses)).toBeLessThanOrEqual(106);
  });

  test('tells when there is one more: then, and not before', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1_000 }), (cap) => {
        const allowance = allowanceOf(cap);
        const { wholeAtMs, againAtMs } = takeFrom(allowance, 0, 10_000, START_MS);
        expect(takeFrom(allowance, wholeAtMs, 1, againAtMs - 1).count).toBe(0);
        expect(takeFrom(allowance, wholeAtMs, 1, againAtMs).count).toBe(1);
      }),
    );
  });
});
