import { expect, test } from 'vitest';
import { growingIds } from '../../../src/app/service.ts';

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
