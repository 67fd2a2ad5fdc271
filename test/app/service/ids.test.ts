import { expect, test } from 'vitest';
import { contextFactory, growingIds } from '../../../src/app/service.ts';
import { systemClock } from '../../../src/runtime/clock.ts';
import { parse } from '../../support/settings.ts';

const NOW_MS = 1_700_000_000_000;
const UUID_V7 = /^[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/;

test.each([
  ['of the same millisecond', () => NOW_MS],
  ['of a clock that is set back', backwards(NOW_MS)],
])('ids %s are in the order in which they were made', (_what, nowMs) => {
  const newId = growingIds(nowMs);
  const ids = Array.from({ length: 10_000 }, newId);
  expect(ids).toEqual(ids.toSorted());
  expect(new Set(ids).size).toBe(ids.length);
  for (const id of ids) expect(id).toMatch(UUID_V7);
});

function backwards(fromMs: number): () => number {
  let ms = fromMs;
  return () => ms--;
}

test('an id begins with the time at which it was made, in the characters that `status` shows', () => {
  const { newId } = contextFactory(systemClock, parse({}))();
  const beforeMs = Date.now();
  const start = newId().slice(0, 13);
  const madeAtMs = Number.parseInt(start.replace('-', ''), 16);
  expect(madeAtMs).toBeGreaterThanOrEqual(beforeMs);
  expect(madeAtMs).toBeLessThanOrEqual(Date.now());
});
