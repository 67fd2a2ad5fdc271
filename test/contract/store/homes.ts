import { describe, expect, test } from 'vitest';
import { type OpenStore, useStore } from './opened.ts';
import { aCall, aJob, claimDue, NOW_MS } from './samples.ts';

const HOUR_MS = 3_600_000;
const refreshNow = { kind: 'refresh_card', runAtMs: NOW_MS, ifScheduled: 'replace' } as const;

export function homeContract(open: OpenStore): void {
  describe('home tabs', () => {
    const opened = useStore(open);
    const look = (teamId: string, userId: string, atMs = NOW_MS) =>
      opened.run((tx) => tx.homes.opened(teamId, userId, atMs));
    /** The home tasks that are due until then, which are done with that. */
    const drawn = (nowMs: number) =>
      opened.run(async (tx) => {
        const tasks = await claimDue(tx, ['refresh_home'], nowMs);
        for (const { lease } of tasks) await tx.tasks.complete(lease);
        return tasks.map(({ subject }) => subject);
      });

    test('a home is drawn when it is opened', async () => {
      await look('T1', 'U1');
      await look('T1', 'U2');
      expect((await drawn(NOW_MS)).sort()).toEqual(['T1:U1', 'T1:U2']);
    });

    test('a home that was opened is drawn again soon after a job of that person changes, once for many changes', async () => {
      await look('T1', 'U1');
      await look('T1', 'U2');
      await drawn(NOW_MS);
      await opened.write({ calls: [aCall('call-1')] });
      await opened.write({ tasks: [refreshNow] });
      await opened.write({ job: aJob({ id: 'job-2', teamId: 'T2', threadTs: null }), tasks: [refreshNow] });
      expect(await drawn(NOW_MS)).toEqual([]);
      expect(await drawn(NOW_MS + 5_000)).toEqual(['T1:U1']);
      expect(await drawn(NOW_MS + HOUR_MS)).toEqual([]);
    });

    test('a home is left alone when nothing changes that it shows', async () => {
      await look('T1', 'U1');
      await drawn(NOW_MS);
      await opened.write({ tasks: [{ ...refreshNow, runAtMs: NOW_MS + 1 }] });
      await opened.write({ tasks: [{ kind: 'check_job', runAtMs: NOW_MS, ifScheduled: 'replace' }] });
      expect(await drawn(NOW_MS + HOUR_MS)).toEqual([]);
    });

    test('a home opened more than an hour ago, or never, is not refreshed', async () => {
      await look('T1', 'U1', NOW_MS - HOUR_MS);
      await drawn(NOW_MS);
      await opened.write({ tasks: [refreshNow] });
      await opened.write({
        job: aJob({ id: 'job-2', requesterId: 'U2', threadTs: null }),
        tasks: [refreshNow],
      });
      expect(await drawn(NOW_MS + HOUR_MS)).toEqual([]);
      await look('T1', 'U1');
      await drawn(NOW_MS);
      await opened.write({ tasks: [refreshNow] });
      expect(await drawn(NOW_MS + HOUR_MS)).toEqual(['T1:U1']);
    });
  });
}
