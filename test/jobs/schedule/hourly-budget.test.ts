import { describe, expect, test } from 'vitest';
import { allowedAtMs, type BudgetUse, type InBudgetQueue } from '../../../src/jobs/schedule/hourly-budget.ts';

const HOUR_MS = 3_600_000;
const NOW_MS = 1_800_000_000_000;

const by = (jobId: string, isUnattended: boolean): InBudgetQueue => ({
  jobId,
  kind: 'create_job',
  isUnattended,
});
const recipe = by('recipe', true);
const alice = by('alice', false);
/** So many calls of the last hour, each a second after the one before. */
const used = (count: number, waiting: readonly InBudgetQueue[] = [], perHour = 100): BudgetUse => ({
  perHour,
  startedAtMs: Array.from({ length: count }, (_, index) => NOW_MS - 1_000 * (count - index)),
  waiting,
});
const waitsMs = (use: BudgetUse, asking: InBudgetQueue) => allowedAtMs(use, asking, NOW_MS) - NOW_MS;

describe('starts that nobody asked for leave the last 20 calls of an hour to people (T3)', () => {
  test('they go out while more than those are left', () => {
    expect(waitsMs(used(79), recipe)).toBe(0);
    expect(waitsMs(used(80), recipe)).toBe(HOUR_MS - 80_000);
  });

  test('people go on with the rest, and pass the recipes that wait', () => {
    expect(waitsMs(used(80, [recipe, alice]), alice)).toBe(0);
    expect(waitsMs(used(89, [recipe, alice]), alice)).toBe(0);
    expect(waitsMs(used(90, [recipe, alice]), alice)).toBe(HOUR_MS - 90_000);
  });

  test('of a small budget, a recipe has one call an hour at least, and so starts at all', () => {
    expect(waitsMs(used(0, [], 10), recipe)).toBe(0);
    expect(waitsMs(used(1, [], 10), recipe)).toBe(HOUR_MS - 1_000);
  });
});
