import { expect, test } from 'vitest';
import { duration, fullDuration } from '../../../src/slack/views/text.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;

test.each([
  [-5, '0 s'],
  [0, '0 s'],
  [999, '0 s'],
  [40_900, '40 s'],
  [59_999, '59 s'],
  [MINUTE_MS, '1 min'],
  [6.9 * MINUTE_MS, '6 min'],
  [HOUR_MS - 1, '59 min'],
  [HOUR_MS, '1 h'],
  [2 * HOUR_MS + 10 * MINUTE_MS, '2 h 10 min'],
  [24 * HOUR_MS - 1, '23 h 59 min'],
  [48 * HOUR_MS, '2 d'],
  [76 * HOUR_MS, '3 d 4 h'],
])('%d ms are said as "%s"', (ms, said) => {
  expect(duration(ms)).toBe(said);
});

test.each([
  [1_500, '1.5 seconds'],
  [1_000, '1 second'],
  [90_000, '90 seconds'],
  [60 * MINUTE_MS, '1 hour'],
  [36 * HOUR_MS, '36 hours'],
  [72 * HOUR_MS, '3 days'],
])('%d ms are "%s" in full', (ms, said) => {
  expect(fullDuration(ms)).toBe(said);
});
