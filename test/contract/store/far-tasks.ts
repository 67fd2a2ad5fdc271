import { describe, expect, test } from 'vitest';
import type { ClaimedTask } from '../../../src/store/store.ts';
import { type OpenStore, useStore } from './opened.ts';
import { NOW_MS } from './samples.ts';

const LEASE_MS = 1_000;
const LATER_MS = NOW_MS + 60_000;

export function farTaskContract(open: OpenStore): void {
  describe('what a clock that was ahead has planned', () => {
    const opened = useStore(open);
    const schedule = (subject: string, runAtMs: number) =>
      opened.schedule('check_job', subject, runAtMs, 'replace');
    const claim = (nowMs: number, leaseNowMs = nowMs) =>
      opened.claim(['check_job'], nowMs, { leaseNowMs, leaseUntilMs: leaseNowMs + LEASE_MS });
    const subjects = (tasks: readonly ClaimedTask[]) => tasks.map((task) => task.subject);

    test('tasks that are planned too far ahead are brought forward, also those that await a retry', async () => {
      await schedule('retried', NOW_MS);
      const [task] = await claim(NOW_MS);
      if (task !== undefined) await opened.run((tx) => tx.tasks.retryAt(task.lease, NOW_MS + 60_001));
      await schedule('far', NOW_MS + 60_002);
      await schedule('near', NOW_MS + 60_000);
      const bring = (limit: number) =>
        opened.run((tx) => tx.tasks.bringForward('check_job', NOW_MS + 60_000, NOW_MS, limit));
      expect([await bring(1), await bring(9), await bring(9)]).toEqual([1, 1, 0]);
      expect(subjects(await claim(NOW_MS)).toSorted()).toEqual(['far', 'retried']);
    });

    test('a lease that ends too late ends sooner, unless it is renewed', async () => {
      await schedule('gone', NOW_MS);
      await schedule('at work', NOW_MS);
      const tasks = await claim(NOW_MS);
      const atWork = tasks.filter(({ subject }) => subject === 'at work').map(({ lease }) => lease);
      const backMs = NOW_MS - 24 * 3_600_000;
      const untilMs = backMs + LEASE_MS;
      await opened.run((tx) => tx.tasks.shortenLeases(untilMs, untilMs, NOW_MS));
      await opened.run((tx) => tx.tasks.renew(atWork, backMs + LEASE_MS + 500));
      expect(await claim(NOW_MS, backMs + LEASE_MS - 1)).toEqual([]);
      expect(subjects(await claim(NOW_MS, backMs + LEASE_MS))).toEqual(['gone']);
    });

    test('checks that are planned for much later are found, unless they are in hand', async () => {
      await schedule('job-1', NOW_MS);
      await schedule('job-2', LATER_MS + 2);
      await schedule('job-3', LATER_MS + 1);
      await schedule('job-4', LATER_MS);
      const checksAfter = (limit: number) =>
        opened.run((tx) => tx.tasks.plannedAfter('check_job', LATER_MS, limit));
      expect(await checksAfter(9)).toEqual(['job-3', 'job-2']);
      expect(await checksAfter(1)).toEqual(['job-3']);
      await claim(LATER_MS + 1);
      expect(await checksAfter(9)).toEqual(['job-2']);
    });
  });
}
