import { describe, expect, test } from 'vitest';
import { newRuns } from '../../../src/jobs/recipe.ts';
import { type OpenStore, useStore } from './opened.ts';
import { aDecision, aJob, NOW_MS } from './samples.ts';

const key = { teamId: 'T1', name: 'weekly-review' };

export function recipeContract(open: OpenStore): void {
  describe('recipes', () => {
    const opened = useStore(open);

    test('begin without a job, and keep what is written of them', async () => {
      expect(await opened.run((tx) => tx.recipes.get(key))).toEqual(newRuns);
      expect(await opened.run((tx) => tx.recipes.lock(key))).toEqual(newRuns);
      const runs = { jobId: null, failures: 2, hasFailed: true, pausedAtMs: 7 };
      await opened.run((tx) => tx.recipes.put(key, runs));
      expect(await opened.run((tx) => tx.recipes.lock(key))).toEqual(runs);
    });

    test('are of their workspace', async () => {
      const paused = { ...newRuns, pausedAtMs: 7 };
      await opened.run(async (tx) => {
        await tx.recipes.lock(key);
        await tx.recipes.put(key, paused);
      });
      expect(await opened.run((tx) => tx.recipes.get(key))).toEqual(paused);
      expect(await opened.run((tx) => tx.recipes.get({ ...key, teamId: 'T2' }))).toEqual(newRuns);
    });

    test('outlive their jobs', async () => {
      await opened.run(async (tx) => {
        await tx.write(aDecision({ job: aJob({ recipe: key.name }) }), NOW_MS);
        const runs = await tx.recipes.lock(key);
        await tx.recipes.put(key, { ...runs, jobId: 'job-1' });
      });
      expect(await opened.run((tx) => tx.recipes.get(key))).toMatchObject({ jobId: 'job-1' });
    });
  });
}
