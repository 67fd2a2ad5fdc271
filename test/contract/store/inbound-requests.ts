import { describe, expect, test } from 'vitest';
import { type OpenStore, useStore } from './opened.ts';
import { NOW_MS } from './samples.ts';

export function inboundRequestContract(open: OpenStore): void {
  describe('requests', () => {
    const opened = useStore(open);
    const remember = (...keys: string[]) => opened.run((tx) => tx.inboundRequests.remember(keys, NOW_MS));

    test('a request is new once', async () => {
      expect(await remember('event:1', 'message:C1:1')).toBe(true);
      expect(await remember('event:1', 'message:C1:1')).toBe(false);
    });

    test('one known key is enough: a mention also arrives as a message', async () => {
      expect(await remember('event:1', 'message:C1:1')).toBe(true);
      expect(await remember('event:2', 'message:C1:1')).toBe(false);
      expect(await remember('event:1')).toBe(false);
    });

    test('a request is known by each of its keys, and by no other', async () => {
      await remember('event:1', 'message:C1:1');
      const isKnown = (...keys: string[]) => opened.run((tx) => tx.inboundRequests.isKnown(keys));
      expect(await isKnown('event:2', 'message:C1:1')).toBe(true);
      expect(await isKnown('event:2')).toBe(false);
      expect(await isKnown()).toBe(false);
    });

    test('requests without a common key are different', async () => {
      expect(await remember('event:1', 'message:C1:1')).toBe(true);
      expect(await remember('event:2', 'message:C1:2')).toBe(true);
    });

    test('a key that is named twice, or no key at all, makes no request known', async () => {
      expect(await remember('event:1', 'event:1')).toBe(true);
      expect(await remember()).toBe(true);
    });

    test('of eight deliveries at the same time one is accepted, and none gets stuck on another', async () => {
      const keys = ['event:1', 'message:C1:1', 'client:1'];
      const orders = [keys, keys.toReversed()];
      let runs = 0;
      const deliver = (index: number) =>
        opened.run((tx) => {
          runs += 1;
          return tx.inboundRequests.remember([...(orders[index % 2] ?? []), `delivery:${index}`], NOW_MS);
        });
      const accepted = await Promise.all(Array.from({ length: 8 }, (_, index) => deliver(index)));
      expect(accepted.filter(Boolean)).toHaveLength(1);
      expect(runs).toBe(8);
    });
  });
}
