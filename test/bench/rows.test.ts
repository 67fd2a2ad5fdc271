import { describe, expect, test } from 'vitest';
import { percentile, spreadOf } from '../../bench/support/percentiles.ts';
import { type Comparison, compare } from '../../bench/support/rows.ts';
import { tableOf } from '../../bench/support/table.ts';

/** One round for each pair of milliseconds. */
const roundsOf = (pairs: readonly (readonly [ours: number, other: number])[]) =>
  pairs.map(
    ([ours, other]) =>
      new Map([
        ['ours', { p50: ours }],
        ['A', { p50: other }],
      ]),
  );
const p50: Comparison = { label: 'p50', unit: 'ms', ours: ['ours', 'p50'], reference: ['A', 'p50'] };

test('ours is compared with the reference within each round, so a slow minute of the machine does not count', () => {
  const row = compare(
    roundsOf([
      [2, 1],
      [30, 10],
      [2, 2],
    ]),
    p50,
  );
  expect(row.compared).toEqual({ median: 2, min: 1, max: 3 });
  expect(row.ours).toEqual({ median: 2, min: 2, max: 30 });
});

test('a figure that may only be so much more is compared by the difference', () => {
  const row = compare(
    roundsOf([
      [150, 100],
      [170, 110],
    ]),
    { ...p50, by: 'difference' },
  );
  expect(row.compared).toEqual({ median: 55, min: 50, max: 60 });
});

describe('a target', () => {
  test.each([
    ['at most', { atMost: 2 }, true],
    ['at most, and missed', { atMost: 1.9 }, false],
    ['at least', { atLeast: 2 }, true],
    ['at least, and missed', { atLeast: 2.1 }, false],
  ])('%s', (_name, target, isMet) => {
    expect(compare(roundsOf([[2, 1]]), { ...p50, target }).isMet).toBe(isMet);
  });

  test('is needed by no figure', () => {
    expect(compare(roundsOf([[2, 1]]), p50).isMet).toBeNull();
  });
});

test('a figure that nobody measured is an error', () => {
  expect(() => compare(roundsOf([[2, 1]]), { ...p50, ours: ['ours', 'p99'] })).toThrow(
    'ours did not measure p99',
  );
});

test('the table says what was found, what it is compared with, and whether that is the target', () => {
  const row = compare(roundsOf([[0.624, 0.5]]), { ...p50, target: { atMost: 1.3 } });
  expect(tableOf([row]).split('\n').at(-1)).toBe(
    '| p50 | ms   | 0.624 | A: 0.5    | 1.25 × (1.25 to 1.25) | ≤ 1.3 × | yes |',
  );
});

test('percentiles and medians are those of the sorted values', () => {
  const upTo100 = Array.from({ length: 100 }, (_, index) => 100 - index);
  expect(percentile(upTo100, 0.99)).toBe(100);
  expect(percentile(upTo100, 0.5)).toBe(51);
  expect(spreadOf([10, 1, 3])).toEqual({ median: 3, min: 1, max: 10 });
  expect(spreadOf([10, 1, 3, 4])).toEqual({ median: 3.5, min: 1, max: 10 });
  expect(() => spreadOf([])).toThrow('nothing was measured');
});
