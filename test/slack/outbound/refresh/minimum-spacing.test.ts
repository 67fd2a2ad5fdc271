import { expect, test } from 'vitest';
import { MinimumSpacing } from '../../../../src/slack/outbound/refresh/working-status.ts';

test('each subject has its turn at once, and then waits for the rest of the spacing', () => {
  const spacing = new MinimumSpacing(3_000);
  expect(spacing.take('a', 1_000)).toBe(0);
  expect(spacing.take('b', 1_500)).toBe(0);
  expect(spacing.take('a', 2_000)).toBe(2_000);
  expect(spacing.take('a', 3_999)).toBe(1);
  expect(spacing.take('a', 4_000)).toBe(0);
  expect(spacing.take('a', 4_001)).toBe(2_999);
});

test('a clock that is set back makes nobody wait for it', () => {
  const spacing = new MinimumSpacing(3_000);
  spacing.take('a', 1_000_000);
  expect(spacing.take('a', 0)).toBe(0);
  expect(spacing.take('a', 1_000)).toBe(2_000);
});
