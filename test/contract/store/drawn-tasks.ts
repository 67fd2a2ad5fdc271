import { describe, expect, test } from 'vitest';
import type { ClaimedTask } from '../../../src/store/store.ts';
import { type OpenStore, useStore } from './opened.ts';
import { NOW_MS } from './samples.ts';

export function drawnTaskContract(open: OpenStore): void {
  describe('the tasks of what is drawn', () => {
    const opened = useStore(open);
    const schedule = (runAtMs: number) => opened.schedule('refresh_card', 'job-1', runAtMs, 'replace');
    const claim = (nowMs: number) => opened.claim(['refresh_card'], nowMs);
    const claimOne = async (nowMs: number): Promise<ClaimedTask> => {
      const [claimed] = await claim(nowMs);
      if (claimed === undefined) throw new Error('a task is due');
      return claimed;
    };
    const postpone = ({ lease }: ClaimedTask, runAtMs: number) =>
      opened.run((tx) => tx.tasks.retryAt(lease, runAtMs));

    test('a repeated task is due at its time, or at the time it was rescheduled for in flight', async () => {
      await schedule(NOW_MS);
      const first = await claimOne(NOW_MS);
      await opened.run((tx) => tx.tasks.markUnknown(first.lease, NOW_MS + 20));
      await postpone(first, NOW_MS + 10);
      const second = await claimOne(NOW_MS + 10);
      expect([first, second].map(({ unknownUntilMs }) => unknownUntilMs)).toEqual([null, NOW_MS + 20]);
      await opened.run((tx) => tx.tasks.repeat(second.lease, NOW_MS + 20));
      expect(await claim(NOW_MS + 19)).toEqual([]);
      const third = await claimOne(NOW_MS + 20);
      expect(third.attempts).toBe(0);
      await schedule(NOW_MS + 21);
      await opened.run((tx) => tx.tasks.repeat(third.lease, NOW_MS + 60));
      expect(await claim(NOW_MS + 21)).toHaveLength(1);
    });
  });
}
