import { expect, test } from 'vitest';
import { soak } from './run.ts';

/** A small run of `npm run soak`, which is the real proof. */
test('while calls fail and the program is killed again and again, nothing is lost or doubled', async () => {
  const size = { jobs: 6, people: 3, kills: 3 } as const;
  expect(await soak({ ...size, database: 'sqlite', seed: 2, note: () => {} })).toEqual([]);
});
