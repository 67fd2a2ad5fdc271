import { expect, test } from 'vitest';
import { runHostile } from './hostile/run.ts';

/** A small run of `npm run hostile`, which is the real proof. */
test('a thousand hostile requests do no harm', async () => {
  const result = await runHostile({ requests: 1_000, seed: 2, note: () => {} });
  expect(result.findings).toEqual([]);
  expect(result.forged).toBeGreaterThan(100);
  expect(result.taken).toBeGreaterThan(300);
});
