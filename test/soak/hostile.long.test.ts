import { expect, test } from 'vitest';
import { findingsOf } from './hostile/report.ts';
import { runHostile } from './hostile/run.ts';

/** A small run of `npm run hostile`, which is the real proof. */
test('a thousand hostile requests do no harm', async () => {
  const result = await runHostile({ requests: 1_000, seed: 2, note: () => {} });
  expect(findingsOf(result)).toEqual([]);
  expect(result.forged).toBeGreaterThan(100);
  expect(result.statuses.get(200)).toBeGreaterThan(300);
});
