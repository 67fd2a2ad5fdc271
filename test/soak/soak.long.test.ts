import { expect, test } from 'vitest';
import { type RunOptions, run } from './run.ts';

const PATIENCE_MS = 300_000;

/** Small runs of `npm run soak` and `npm run test:crash`, which are the real proof. */
const small = {
  database: 'sqlite',
  lateShare: 0,
  isDisturbed: false,
  quietMs: 5_000,
  patienceMs: 90_000,
  note: () => {},
} as const;

async function expectAllWell(options: Omit<RunOptions, keyof typeof small>): Promise<void> {
  const { asked, broken, unknownCalls, runnerEndings } = await run({ ...small, ...options });
  expect(broken).toEqual([]);
  expect(asked).toBeGreaterThan(0);
  if (options.withRunner) expect([unknownCalls, runnerEndings]).toEqual([0, []]);
}

test.concurrent(
  'while calls fail on both sides, nothing is lost or doubled',
  () => expectAllWell({ stories: 15, atOnce: 15, kills: 0, withRunner: false, seed: 1 }),
  PATIENCE_MS,
);

test.concurrent(
  'while the program is killed again and again, nothing is lost or doubled',
  () => expectAllWell({ stories: 100, atOnce: 4, kills: 5, withRunner: false, seed: 2 }),
  PATIENCE_MS,
);

test.concurrent(
  'while the program and the runner are killed in turns, no call is left unknown, and no turn is done twice',
  () => expectAllWell({ stories: 4, atOnce: 4, kills: 0, withRunner: true, seed: 3 }),
  PATIENCE_MS,
);
