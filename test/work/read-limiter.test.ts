import { describe, expect, test } from 'vitest';
import { ReadLimiter } from '../../src/work/read-limiter.ts';
import { fc } from '../support/properties.ts';

const MINUTE_MS = 60_000;
const START_MS = Date.UTC(2026, 0, 1);

/** Asks again and again for a while, each time when it was told to; returns when it was allowed to read. */
function readTimes(limiter: ReadLimiter, untilMs: number): number[] {
  const times: number[] = [];
  let nowMs = START_MS;
  while (nowMs < untilMs) {
    const waitMs = limiter.take('docs', 'job', nowMs);
    if (waitMs === 0) times.push(nowMs);
    nowMs += waitMs;
  }
  return times;
}

function mostInAnyMinute(times: readonly number[]): number {
  const counts = times.map(
    (from, index) => times.slice(index).filter((time) => time < from + MINUTE_MS).length,
  );
  return Math.max(0, ...counts);
}

describe('the cap on reads per minute', () => {
  test('is never passed in any minute, whenever reads are asked for', () => {
    const pauses = fc.array(fc.oneof(fc.constant(0), fc.nat(50), fc.nat(70_000)), {
      minLength: 1,
      maxLength: 200,
    });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 60 }), pauses, (cap, gaps) => {
        const limiter = new ReadLimiter(cap);
        const times: number[] = [];
        let nowMs = START_MS;
        for (const gap of gaps) {
          nowMs += gap;
          if (limiter.take('docs', 'job', nowMs) === 0) times.push(nowMs);
        }
        expect(mostInAnyMinute(times)).toBeLessThanOrEqual(cap);
      }),
    );
  });

  for (const cap of [1, 2, 9, 10, 600]) {
    test(`of ${cap} is not passed by who asks all the time, and is used nearly whole`, () => {
      const times = readTimes(new ReadLimiter(cap), START_MS + 3 * MINUTE_MS);
      expect(mostInAnyMinute(times)).toBeLessThanOrEqual(cap);
      expect(times.length).toBeGreaterThanOrEqual(3 * cap * 0.9);
    });
  }

  test('lets a tenth of it go at once, and spreads the rest', () => {
    const times = readTimes(new ReadLimiter(600), START_MS + MINUTE_MS);
    expect(times.filter((time) => time === START_MS)).toHaveLength(60);
    const pauses = times.slice(60).map((time, index) => time - (times[59 + index] ?? 0));
    expect(Math.min(...pauses)).toBeGreaterThanOrEqual(110);
    expect(Math.max(...pauses)).toBeLessThanOrEqual(112);
  });

  test('tells for how long to wait: then, and not before, a read is allowed', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1_000 }), (cap) => {
        const limiter = new ReadLimiter(cap);
        let waitMs = 0;
        while (waitMs === 0) waitMs = limiter.take('docs', 'job', START_MS);
        expect(limiter.take('docs', 'job', START_MS + waitMs - 1)).toBe(1);
        expect(limiter.take('docs', 'job', START_MS + waitMs)).toBe(0);
      }),
    );
  });

  test('is one for each project', () => {
    const limiter = new ReadLimiter(1);
    expect(limiter.take('docs', 'job', START_MS)).toBe(0);
    expect(limiter.take('api', 'other job', START_MS)).toBe(0);
    expect(limiter.take('docs', 'job', START_MS)).toBe(MINUTE_MS);
  });
});
