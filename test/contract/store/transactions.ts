import { describe, expect, test } from 'vitest';
import { type OpenStore, useStore } from './opened.ts';
import { aCall, NOW_MS } from './samples.ts';

export function transactionContract(open: OpenStore): void {
  describe('transactions', () => {
    const opened = useStore(open);
    const aTask = {
      kind: 'check_job',
      subject: 'job-1',
      runAtMs: NOW_MS,
      ifScheduled: 'keep',
    } as const;

    test('an error undoes its own transaction, and nothing else with it', async () => {
      const failing = opened.store.transaction(async (tx) => {
        await tx.inboundRequests.remember(['event:1'], NOW_MS);
        throw new Error('undo');
      });
      const beside = opened.run((tx) => tx.inboundRequests.remember(['event:2'], NOW_MS));
      await expect(failing).rejects.toThrow('undo');
      expect(await beside).toBe(true);
      await opened.run(async (tx) => {
        expect(await tx.inboundRequests.remember(['event:1'], NOW_MS)).toBe(true);
        expect(await tx.inboundRequests.remember(['event:2'], NOW_MS)).toBe(false);
      });
    });

    test('many concurrent transactions all complete', async () => {
      const numbers = Array.from({ length: 40 }, (_, index) => index);
      const results = await Promise.all(
        numbers.map((number) =>
          // A request would not wait for long.
          opened.store.inBackground().transaction(async (tx) => {
            await tx.inboundRequests.remember([`event:${number}`], NOW_MS);
            return number;
          }),
        ),
      );
      expect(results).toEqual(numbers);
    });

    test('listeners hear of scheduled tasks after the commit, and only of those', async () => {
      const heard: string[] = [];
      const end = opened.store.onScheduled(() => heard.push('scheduled'));
      await opened.run(async (tx) => {
        await tx.tasks.schedule(aTask);
        expect(heard).toEqual([]);
      });
      expect(heard).toEqual(['scheduled']);

      await opened.run((tx) => tx.inboundRequests.remember(['event:1'], NOW_MS));
      await opened.write();
      expect(heard).toHaveLength(1);

      await opened.write({ calls: [aCall('a')] });
      expect(heard).toHaveLength(2);

      end();
      await opened.run((tx) => tx.tasks.schedule(aTask));
      expect(heard).toHaveLength(2);
    });

    test('listeners do not hear of tasks that were undone', async () => {
      let heard = 0;
      opened.store.onScheduled(() => {
        heard += 1;
      });
      const failing = opened.run(async (tx) => {
        await tx.tasks.schedule(aTask);
        throw new Error('undone');
      });
      await expect(failing).rejects.toThrow('undone');
      expect(heard).toBe(0);
    });

    test('a check writes, again and again, and fails when the store is closed', async () => {
      await opened.store.check();
      await opened.store.check();
      await opened.store.close();
      await expect(opened.store.check()).rejects.toThrow();
    });
  });
}
