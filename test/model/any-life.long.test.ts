import { test } from 'vitest';
import { anyLife } from './support/any-life.ts';
import { expectGoodLives, LIFE_WITHIN_MS, runsOr } from './support/lives.ts';

const RUNS = runsOr(40);

test(
  'whatever happens to the whole program, nothing is lost, doubled or left in silence',
  {
    timeout: RUNS * LIFE_WITHIN_MS,
  },
  () => expectGoodLives(anyLife, RUNS),
);
