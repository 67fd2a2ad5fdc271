import { test } from 'vitest';
import { anyLifeWithMentions } from './support/any-life.ts';
import { expectGoodLives, LIFE_WITHIN_MS, runsOr } from './support/lives.ts';

const RUNS = runsOr(15);

test(
  'whatever happens, a mention that was accepted starts one job in its thread',
  {
    timeout: RUNS * LIFE_WITHIN_MS,
  },
  () => expectGoodLives(anyLifeWithMentions, RUNS),
);
