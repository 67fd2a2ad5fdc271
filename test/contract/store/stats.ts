import { describe, expect, test } from 'vitest';
import { type OpenStore, useStore } from './opened.ts';
import { aJob, NOW_MS } from './samples.ts';

export function statsContract(open: OpenStore): void {
  describe('the counts of the store', () => {
    const opened = useStore(open);

    test('counts open jobs by stage', async () => {
      const stages = [
        { kind: 'working', turnStartedAtMs: NOW_MS, settle: null },
        { kind: 'working', turnStartedAtMs: NOW_MS, settle: null },
        { kind: 'create_unknown', callId: 'call-1', sinceMs: 0 },
        { kind: 'ended', status: 'completed', sinceMs: 0 },
      ] as const;
      for (const [index, stage] of stages.entries()) {
        const job = aJob({ id: `job-${index}`, threadTs: null, stage });
        await opened.write({ job });
      }
      expect(Object.fromEntries(await opened.run((tx) => tx.stats.openJobs()))).toEqual({
        opening: 0,
        creating: 0,
        create_unknown: 1,
        working: 2,
      });
    });

    test('counts the tasks that are due, by their kind, also those in hand', async () => {
      await opened.schedule('check_job', 'a', NOW_MS - 5_000);
      await opened.schedule('check_job', 'b', NOW_MS);
      await opened.schedule('check_job', 'later', NOW_MS + 1);
      await opened.schedule('refresh_card', 'later', NOW_MS + 1);
      await opened.claim(['check_job'], NOW_MS, { limit: 1 });
      expect(await opened.run((tx) => tx.stats.dueTasks(NOW_MS))).toEqual([
        { kind: 'check_job', count: 2, dueSinceMs: NOW_MS - 5_000 },
      ]);
    });
  });
}
