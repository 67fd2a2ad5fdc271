import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { createLogger } from '../../../../src/app/operations/logger.ts';
import type { Recipe } from '../../../../src/jobs/recipes/recipe.ts';
import { planRecipes, startScheduled } from '../../../../src/slack/inbound/recipes/scheduled.ts';
import { onSqlite } from '../../../engine/support/test-store.ts';
import { policy } from '../../../jobs/support/builders.ts';
import { createTestClock } from '../../../support/test-clock.ts';

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;
const projects = [{ id: 'handbook', name: 'handbook', noticeChannels: [] }] as const;
const rules = { projects, channels: new Map(), noticeChannels: [] };

const recipe = (cron: string): Recipe => ({
  name: 'weekly-review',
  projectName: null,
  channelId: 'C1',
  request: 'Check the screenshots',
  values: new Map(),
  schedule: { cron, zone: 'UTC' },
  isDraft: false,
});

test.each([
  ['does not know the recipe', []],
  ['knows an older schedule of it', [recipe('0 0 1 1 *')]],
])(
  'a moment that falls to a replica that still %s is made up for within an hour (T3)',
  async (_what, old) => {
    const { store } = await onSqlite();
    const clock = createTestClock(Date.UTC(2026, 5, 1));
    const newContext = () => ({
      ...{ nowMs: clock.now(), jitter: 0.5, newId: randomUUID, policy },
      rulesOf: () => rules,
    });
    const log = createLogger({ level: 'error', destination: { write: () => {} } });
    const runDue = async (recipes: readonly Recipe[]) => {
      const nowMs = clock.now();
      const lease = { nowMs, leaseNowMs: nowMs, leaseUntilMs: nowMs + MINUTE_MS, inFlight: [], limit: 9 };
      const claimed = await store.transaction((tx) => tx.tasks.claim({ kinds: ['start_recipe'], ...lease }));
      for (const task of claimed)
        await startScheduled(
          { store, clock, log, newContext, stopping: new AbortController().signal, recipesOf: () => recipes },
          task,
        );
      return claimed.length;
    };
    const started = () => store.transaction((tx) => tx.recipes.get({ teamId: 'T1', name: 'weekly-review' }));

    const current = [recipe('5 0 * * *')];
    await planRecipes({ store, recipesOf: () => current }, ['T1'], clock.now());
    await clock.advance(5 * MINUTE_MS);
    expect(await runDue(old)).toBe(1);
    expect((await started())?.jobId).toBeNull();
    await clock.advance(HOUR_MS);
    expect(await runDue(current)).toBe(1);
    expect((await started())?.jobId).not.toBeNull();
  },
);
