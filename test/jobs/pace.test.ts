import { describe, expect, test } from 'vitest';
import { type Pace, paceOf } from '../../src/jobs/pace.ts';
import { checkIntervalMs } from '../../src/jobs/schedule.ts';
import { fc } from '../support/properties.ts';
import { HOUR_MS, MINUTE_MS, policy, SECOND_MS } from './support/builders.ts';

const DAY_MS = 24 * HOUR_MS;

/** Turns that take about so long: the middle one, and others up to a fifth shorter or longer. */
const about = (lengthMs: number, turns = 50) =>
  Array.from({ length: turns }, (_, index) => lengthMs * (0.8 + 0.4 * (((index * 7) % turns) / (turns - 1))));

/** The ages at which a turn that goes on is looked at, up to a limit. */
function looks(pace: Pace | null, untilMs: number): number[] {
  const ages: number[] = [];
  let ageMs = 0;
  while (ageMs < untilMs) {
    ageMs += checkIntervalMs(ageMs, policy, 0.5, pace);
    ages.push(ageMs);
  }
  return ages;
}

const countUntil = (ages: readonly number[], lengthMs: number) =>
  ages.findIndex((ageMs) => ageMs >= lengthMs) + 1;

/** On average, until the end is seen. */
function readsPerTurn(pace: Pace | null, lengthsMs: readonly number[]): number {
  const ages = looks(pace, Math.max(...lengthsMs));
  const counts = lengthsMs.map((lengthMs) => countUntil(ages, lengthMs));
  return counts.reduce((total, count) => total + count, 0) / counts.length;
}

/** From the end to the look that sees it; half of the turns wait no longer. */
function middleDelayMs(pace: Pace | null, lengthsMs: readonly number[]): number {
  const ages = looks(pace, Math.max(...lengthsMs));
  const delays = lengthsMs.map((lengthMs) => (ages[countUntil(ages, lengthMs) - 1] ?? 0) - lengthMs);
  return delays.sort((a, b) => a - b)[Math.floor(delays.length / 2)] ?? 0;
}

describe('a project whose turns take alike', () => {
  test.each([
    ['two minutes', 2 * MINUTE_MS],
    ['ten minutes', 10 * MINUTE_MS],
    ['an hour', HOUR_MS],
    ['six hours', 6 * HOUR_MS],
  ])(
    '%s: about a quarter of the looks of one every five seconds, closest where turns end',
    (_name, lengthMs) => {
      const lengths = about(lengthMs, 200);
      const pace = paceOf(lengths, policy);
      const steady = lengths.reduce((total, length) => total + length / (5 * SECOND_MS), 0) / lengths.length;
      expect(readsPerTurn(pace, lengths) / steady).toBeGreaterThan(0.2);
      expect(readsPerTurn(pace, lengths) / steady).toBeLessThan(0.26);
      expect(middleDelayMs(pace, lengths)).toBeLessThan(6 * SECOND_MS);
      expect(checkIntervalMs(lengthMs, policy, 0.5, pace)).toBeLessThan(15 * SECOND_MS);
      expect(checkIntervalMs(lengthMs * 2, policy, 0.5, pace)).toBeGreaterThan(20 * SECOND_MS);
      expect(checkIntervalMs(lengthMs / 2, policy, 0.5, pace)).toBeGreaterThan(20 * SECOND_MS);
    },
  );

  test('turns of two minutes are looked at less than without a pace, and those of an hour are seen to end sooner', () => {
    const short = about(2 * MINUTE_MS);
    expect(readsPerTurn(paceOf(short, policy), short)).toBeLessThan(readsPerTurn(null, short) / 2);
    const long = about(HOUR_MS);
    expect(middleDelayMs(paceOf(long, policy), long)).toBeLessThan(middleDelayMs(null, long) / 3);
  });

  test('a look comes before the end also where turns are over in seconds', () => {
    const pace = paceOf(about(20 * SECOND_MS), policy);
    expect(looks(pace, 20 * SECOND_MS)[0]).toBeLessThan(20 * SECOND_MS);
  });
});

describe('a project whose turns differ', () => {
  test('short and long turns are looked at closely where each kind ends, and seldom in between', () => {
    const pace = paceOf([...about(2 * MINUTE_MS), ...about(HOUR_MS)], policy);
    const intervalAt = (ageMs: number) => checkIntervalMs(ageMs, policy, 0.5, pace);
    expect(intervalAt(2 * MINUTE_MS)).toBeLessThan(15 * SECOND_MS);
    expect(intervalAt(HOUR_MS)).toBeLessThan(15 * SECOND_MS);
    expect(intervalAt(15 * MINUTE_MS)).toBe(60 * SECOND_MS);
  });

  test('one turn of a day changes little for those of ten minutes', () => {
    const lengths = about(10 * MINUTE_MS);
    const before = middleDelayMs(paceOf(lengths, policy), lengths);
    expect(middleDelayMs(paceOf([DAY_MS, ...lengths], policy), lengths)).toBeLessThan(before + SECOND_MS);
  });

  test('when turns get longer, the pace follows: the last ones count more', () => {
    const pace = paceOf([...about(2 * MINUTE_MS, 100), ...about(HOUR_MS, 100)], policy);
    const other = paceOf([...about(HOUR_MS, 100), ...about(2 * MINUTE_MS, 100)], policy);
    const intervalAtTheHour = (known: Pace | null) => checkIntervalMs(HOUR_MS, policy, 0.5, known);
    expect(intervalAtTheHour(pace)).toBeLessThan(intervalAtTheHour(other));
  });
});

test('four turns are too few to tell: looks come as if nothing was known', () => {
  expect(paceOf(about(MINUTE_MS, 4), policy)).toBeNull();
  expect(paceOf(about(MINUTE_MS, 5), policy)).not.toBeNull();
  expect(paceOf([], policy)).toBeNull();
});

const anyLengths = fc.array(fc.nat(7 * DAY_MS), { minLength: 5, maxLength: 200 });
const anyJitter = fc.double({ min: 0, max: 1, noNaN: true });
const anyAge = fc.integer({ min: -HOUR_MS, max: 30 * DAY_MS });
const anyLimits = fc
  .record({ min: fc.integer({ min: 100, max: HOUR_MS }), more: fc.nat(DAY_MS) })
  .map(({ min, more }) => ({ ...policy, pollMinIntervalMs: min, pollMaxIntervalMs: min + more }));

describe('whatever turns took', () => {
  test('no look comes before the shortest interval, nor after the longest', () => {
    fc.assert(
      fc.property(anyLengths, anyLimits, anyAge, anyJitter, (lengths, limits, ageMs, jitter) => {
        const intervalMs = checkIntervalMs(ageMs, limits, jitter, paceOf(lengths, limits));
        expect(intervalMs).toBeGreaterThanOrEqual(limits.pollMinIntervalMs);
        expect(intervalMs).toBeLessThanOrEqual(limits.pollMaxIntervalMs);
      }),
    );
  });

  test('a later look is never planned for before an earlier one', () => {
    fc.assert(
      fc.property(anyLengths, anyAge, fc.nat(HOUR_MS), anyJitter, (lengths, ageMs, moreMs, jitter) => {
        const pace = paceOf(lengths, policy);
        const nextAt = (atMs: number) => atMs + checkIntervalMs(atMs, policy, jitter, pace);
        // A millisecond is lost in rounding.
        expect(nextAt(ageMs + moreMs)).toBeGreaterThanOrEqual(nextAt(ageMs) - 1);
      }),
    );
  });

  test('turns like the known ones take no more looks than a quarter, but for two in short ones and the longest interval', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 1, max: DAY_MS }), { minLength: 5, maxLength: 30 }),
        (lengths) => {
          const meanMs = lengths.reduce((total, length) => total + length, 0) / lengths.length;
          const quarter = meanMs / (4 * policy.pollMinIntervalMs);
          const unavoidable = meanMs / policy.pollMaxIntervalMs;
          // The known turns count less the older they are.
          const most = Math.max(quarter, unavoidable, 2) * 1.3 + 2;
          expect(readsPerTurn(paceOf(lengths, policy), lengths)).toBeLessThanOrEqual(most);
        },
      ),
      { numRuns: 30 },
    );
  });
});
