import { expect, test } from 'vitest';
import { percentile, spreadOf } from '../../bench/support/percentiles.ts';
import { type Comparison, compare, type Row } from '../../bench/support/rows.ts';
import { tableOf } from '../../bench/support/table.ts';

const p50: Comparison = { label: 'p50', unit: 'ms', ours: ['ours', 'p50'], reference: ['A', 'p50'] };

/** Of one round for each number of milliseconds. */
function rowOf(ours: readonly number[], others: readonly number[], more: Partial<Comparison> = {}): Row {
  const measured = (of: readonly number[], round: number) => ({ p50: of[round] ?? Number.NaN });
  const namesIn = (round: number) => ({ ours: measured(ours, round), A: measured(others, round) });
  const rounds = ours.map((_, round) => new Map(Object.entries(namesIn(round))));
  return compare(rounds, { ...p50, ...more });
}

test.each<[how: string, Row, Partial<Row>]>([
  [
    'within each round, so that a slow minute of the machine does not count',
    rowOf([2, 30, 2], [1, 10, 2]),
    { compared: { median: 2, min: 1, max: 3 }, ours: { median: 2, min: 2, max: 30 }, isMet: null },
  ],
  [
    'by the difference, where it may only be so much more',
    rowOf([150, 170], [100, 110], { by: 'difference' }),
    { compared: { median: 55, min: 50, max: 60 } },
  ],
  ['with what it may be at most', rowOf([2], [1], { target: { atMost: 2 } }), { isMet: true }],
  ['with that, and misses it', rowOf([2], [1], { target: { atMost: 1.9 } }), { isMet: false }],
  ['with what it must be at least', rowOf([2], [1], { target: { atLeast: 2 } }), { isMet: true }],
  ['with that, and misses it, too', rowOf([2], [1], { target: { atLeast: 2.1 } }), { isMet: false }],
])('a figure is compared %s', (_how, row, expected) => {
  expect(row).toMatchObject(expected);
});

test('a figure that nobody measured is an error', () => {
  expect(() => rowOf([2], [1], { ours: ['ours', 'p99'] })).toThrow('ours did not measure p99');
});

test('the table says what was found, what it is compared with, and whether that is the target', () => {
  const row = rowOf([0.624], [0.5], { target: { atMost: 1.3 } });
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
