import { expect, test } from 'vitest';
import { parseDuration } from '../../../src/app/config/checks.ts';

test.each([
  ['500ms', 500],
  ['5s', 5_000],
  ['2m', 120_000],
  ['1h', 3_600_000],
  ['180d', 15_552_000_000],
  ['0', 0],
  ['0s', 0],
])('%s is %i milliseconds', (text, durationMs) => {
  expect(parseDuration(text)).toBe(durationMs);
});

test.each(['', '5', '5 s', '-5s', '1.5s', '5S', '5w', '1m30s', 's', '5s '])(
  '%j is not a duration',
  (text) => {
    expect(parseDuration(text)).toBeNull();
  },
);
