import { describe, expect, test } from 'vitest';
import { type OpenStore, useStore } from './opened.ts';
import { aDecision, aJob, NOW_MS } from './samples.ts';

const key = { teamId: 'T1', name: 'weekly-review' };
const mondays = { cron: '0 9 * * 1', zone: 'Europe/Berlin' };

export function recipeContract(open: OpenStore): void {
  describe('recipes', () => {
    const opened = useStore(open);
    const follow = (schedule: typeof mondays, nowMs: number) =>
      opened.run((tx) => tx.recipes.follow(key, schedule, nowMs));

    test('begin when they are seen first, and keep what is written of them', async () => {
      expect(await opened.run((tx) => tx.recipes.get(key))).toBeNull();
      const first = await opened.run((tx) => tx.recipes.lock(key, NOW_MS));
      expect(first).toEqual({
        servedUntilMs: NOW_MS,
        jobId: null,
        failures: 0,
        hasFailed: false,
        pausedAtMs: null,
      });
      const runs = { servedUntilMs: NOW_MS + 5, jobId: null, failures: 2, hasFailed: true, pausedAtMs: 7 };
      await opened.run((tx) => tx.recipes.put(key, runs));
      expect(await opened.run((tx) => tx.recipes.lock(key, NOW_MS + 9))).toEqual(runs);
    });

    test('are of their workspace', async () => {
      await opened.run((tx) => tx.recipes.lock(key, NOW_MS));
      expect(await opened.run((tx) => tx.recipes.get({ ...key, teamId: 'T2' }))).toBeNull();
    });

    test('outlive their jobs', async () => {
      await opened.run(async (tx) => {
        await tx.write(aDecision({ job: aJob({ recipe: key.name }) }), NOW_MS);
        const runs = await tx.recipes.lock(key, NOW_MS);
        await tx.recipes.put(key, { ...runs, jobId: 'job-1' });
      });
      expect(await opened.run((tx) => tx.recipes.get(key))).toMatchObject({ jobId: 'job-1' });
    });

    test('with a new schedule begin anew, with the same one go on', async () => {
      expect(await follow(mondays, NOW_MS)).toBe(NOW_MS);
      expect(await follow(mondays, NOW_MS + 1)).toBe(NOW_MS);
      expect(await follow({ ...mondays, zone: 'UTC' }, NOW_MS + 2)).toBe(NOW_MS + 2);
      expect(await follow(mondays, NOW_MS + 3)).toBe(NOW_MS + 3);
    });
  });
}
