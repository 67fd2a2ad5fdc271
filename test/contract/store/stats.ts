import { describe, expect, test } from 'vitest';
import type { TaskKind } from '../../../src/jobs/task-kinds.ts';
import { type OpenStore, useStore } from './opened.ts';
import { aDecision, aJob, NOW_MS } from './samples.ts';

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
        await opened.run((tx) => tx.write(aDecision({ job }), NOW_MS));
      }
      expect(Object.fromEntries(await opened.run((tx) => tx.stats.openJobs()))).toEqual({
        opening: 0,
        creating: 0,
        create_unknown: 1,
        working: 2,
      });
    });

    test('counts the tasks that are due, by their kind, also those in hand', async () => {
      const schedule = (kind: TaskKind, subject: string, runAtMs: number) =>
        opened.run((tx) => tx.tasks.schedule({ kind, subject, runAtMs, ifScheduled: 'keep' }));
      await schedule('check_job', 'a', NOW_MS - 5_000);
      await schedule('check_job', 'b', NOW_MS);
      await schedule('check_job', 'later', NOW_MS + 1);
      await schedule('refresh_card', 'later', NOW_MS + 1);
      const lease = { leaseNowMs: NOW_MS, leaseUntilMs: NOW_MS + 1_000, inFlight: [] };
      const claim = { kinds: ['check_job'], nowMs: NOW_MS, ...lease, limit: 1 } as const;
      await opened.run((tx) => tx.tasks.claim(claim));
      expect(await opened.run((tx) => tx.stats.dueTasks(NOW_MS))).toEqual([
        { kind: 'check_job', count: 2, dueSinceMs: NOW_MS - 5_000 },
      ]);
    });
  });
}
