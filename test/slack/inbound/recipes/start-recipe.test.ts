import { randomUUID } from 'node:crypto';
import { describe, expect, onTestFinished, test } from 'vitest';
import { applyEvent } from '../../../../src/engine/apply-event.ts';
import type { Recipe } from '../../../../src/jobs/recipes/recipe.ts';
import { newRuns, runsWithJob } from '../../../../src/jobs/recipes/runs.ts';
import { startRecipe } from '../../../../src/slack/inbound/recipes/start-recipe.ts';
import { openStore } from '../../../../src/store/open.ts';
import { aDecision, aJob, NOW_MS } from '../../../contract/store/samples.ts';
import { policy } from '../../../jobs/support/builders.ts';
import { createTestDatabase, testServerUrl } from '../../../support/postgres.ts';

const key = { teamId: 'T1', name: 'weekly-review' };
const recipe: Recipe = {
  name: key.name,
  projectName: null,
  channelId: 'C1',
  request: 'Check the screenshots',
  values: new Map(),
  schedule: null,
  isDraft: false,
};
const projects = [{ id: 'handbook', name: 'handbook', noticeChannels: [] }];
const context = {
  ...{ nowMs: NOW_MS, jitter: 0.5, newId: randomUUID, policy },
  rulesOf: () => ({ projects, channels: new Map(), noticeChannels: [] }),
};
const byItself = {
  ...{ teamId: key.teamId, recipe, userId: null, origin: { kind: 'webhook' as const } },
  ...{ responseUrl: null, keys: [], values: new Map(), text: '' },
};

describe.skipIf(testServerUrl === undefined)(
  'two starts of a recipe at the same time, on Postgres (T3)',
  () => {
    test('and an event of the first one’s job never wait for each other in a circle', async () => {
      const database = await createTestDatabase(testServerUrl ?? '');
      const store = await openStore({ databaseUrl: database.url });
      onTestFinished(async () => {
        await store.close();
        await database.drop();
      });
      const waiting = async () => {
        const [row] = await database.query(
          `select count(*) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
        );
        return Number(row?.count);
      };
      const job = aJob({ recipe: key.name });
      await store.transaction(async (tx) => {
        await tx.write(aDecision({ job }), NOW_MS);
        await tx.recipes.lock(key);
      });
      let attempts = 0;
      const [locked, goesOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      const event = store.transaction(async (tx) => {
        attempts += 1;
        await tx.jobs.lock(job.id);
        locked.resolve();
        await goesOn.promise;
        return applyEvent(tx, job.id, { type: 'recipe_skipped' }, context);
      });
      await locked.promise;
      const first = await store.transaction(async (tx) => {
        await tx.recipes.lockStarts(key);
        await tx.recipes.lock(key);
        await tx.recipes.put(key, runsWithJob(newRuns, job.id));
        const second = store.transaction((other) => {
          attempts += 1;
          return startRecipe(other, byItself, context);
        });
        await expect.poll(waiting).toBe(1);
        return { second };
      });
      // For the job, which the event has locked.
      await expect.poll(waiting).toBe(1);
      goesOn.resolve();
      await event;
      expect(await first.second).toMatchObject({ kind: 'skipped', job: { id: job.id } });
      expect(attempts).toBe(2);
    });
  },
);
