import { expect, test } from 'vitest';
import { parseDuration } from '../../../src/app/config/checks.ts';
import { fc } from '../../support/properties.ts';

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

test('any text is a duration that can be counted, or none', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.stringMatching(/^\d+(ms|s|m|h|d)$/)), (text) => {
      const durationMs = parseDuration(text);
      expect(durationMs === null || Number.isSafeInteger(durationMs)).toBe(true);
    }),
  );
});
