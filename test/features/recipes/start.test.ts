import { describe, expect, test } from 'vitest';
import type { Recipe } from '../../../src/features/recipes/recipe.ts';
import { type RecipeRequest, startRecipe } from '../../../src/features/recipes/start.ts';
import type { Job } from '../../../src/jobs/job.ts';
import { newRuns } from '../../../src/jobs/recipe.ts';
import { aDecision, aJob, claimDue, NOW_MS } from '../../contract/store/samples.ts';
import { contextAt } from '../../engine/support/context.ts';
import { onSqlite } from '../../engine/support/test-store.ts';

const key = { teamId: 'T1', name: 'weekly-review' };
const recipe: Recipe = {
  name: key.name,
  projectName: undefined,
  channelId: 'C1',
  request: 'Check the screenshots',
  values: new Map(),
  schedule: null,
  isDraft: false,
  owners: [],
};
const projects = [
  { id: 'handbook', name: 'handbook', noticeChannels: [] },
  { id: 'site-id', name: 'site', noticeChannels: [] },
];
const context = contextAt(NOW_MS, projects);
const byItself = {
  ...{ teamId: key.teamId, recipe, userId: null, origin: { kind: 'webhook' as const } },
  ...{ responseUrl: null, keys: [], values: new Map(), text: '', isClosed: false },
};

describe('a start of a recipe (T3)', () => {
  const byBob = { ...byItself, userId: 'U0BOB', origin: { kind: 'command' as const } };
  const ended = { stage: { kind: 'ended', status: 'completed', sinceMs: 0 } } as const;

  async function startedOnce(fields: Partial<Job> = {}) {
    const { store } = await onSqlite();
    const job = aJob({ recipe: key.name, ...fields });
    await store.transaction(async (tx) => {
      await tx.write(aDecision({ job }), NOW_MS);
      await tx.recipes.lock(key);
      await tx.recipes.put(key, { ...newRuns, jobId: job.id });
    });
    const start = (request: RecipeRequest) => store.transaction((tx) => startRecipe(tx, request, context));
    return { store, job, start };
  }

  test('in a shared channel is none, but a request that is wrong is told so first', async () => {
    const { start } = await startedOnce(ended);
    const shared = { ...byItself, isClosed: true };
    expect(await start(shared)).toEqual({ kind: 'shared_channel' });
    const values = new Map([['nobody', 'asked']]);
    expect(await start({ ...shared, values })).toMatchObject({ kind: 'refused' });
  });

  test('by itself waits for a resume while it is paused, by a person does not', async () => {
    const { store, start } = await startedOnce(ended);
    await store.transaction((tx) => tx.recipes.put(key, { ...newRuns, failures: 3, pausedAtMs: NOW_MS }));
    expect(await start(byItself)).toEqual({ kind: 'paused' });
    expect(await start(byBob)).toMatchObject({ kind: 'started', job: { requesterId: 'U0BOB' } });
  });

  test('by a person that is skipped is told to nobody else', async () => {
    const { store, start } = await startedOnce();
    const posts = () => store.transaction((tx) => claimDue(tx, ['post_to_slack'], NOW_MS));
    expect(await start(byBob)).toMatchObject({ kind: 'skipped' });
    expect(await posts()).toEqual([]);
    expect(await start(byItself)).toMatchObject({ kind: 'skipped' });
    expect(await posts()).toHaveLength(1);
  });

  test('is not kept back by a job that nobody watches any more', async () => {
    const working = { kind: 'working', turnStartedAtMs: NOW_MS, settle: null } as const;
    const stopped = { ...working, question: { number: 1, answer: 'stop' as const } };
    expect(await (await startedOnce({ stage: working })).start(byItself)).toMatchObject({ kind: 'skipped' });
    expect(await (await startedOnce({ stage: stopped })).start(byItself)).toMatchObject({ kind: 'started' });
  });

  test('is in the project of the recipe, else in that of its channel', async () => {
    const own = { ...byItself, recipe: { ...recipe, projectName: 'site' } };
    expect(await (await startedOnce(ended)).start(own)).toMatchObject({ job: { projectId: 'site-id' } });
    expect(await (await startedOnce(ended)).start(byItself)).toMatchObject({
      job: { projectId: 'handbook' },
    });
  });
});
