import { describe, expect, test } from 'vitest';
import { type OpenStore, useStore } from './opened.ts';
import { NOW_MS } from './samples.ts';

export function replicaContract(open: OpenStore): void {
  describe('replicas', () => {
    const opened = useStore(open);
    const report = (id: string, connections: number, atMs: number) =>
      opened.run((tx) => tx.replicas.report({ id, connections, otherConnections: 0 }, atMs));

    test('know the connections of all of them, until one leaves or is not seen any more', async () => {
      expect(await report('a', 1, NOW_MS)).toBe(1);
      expect(await report('b', 2, NOW_MS)).toBe(3);
      expect(await report('b', 1, NOW_MS + 60_000)).toBe(2);
      expect(await report('b', 1, NOW_MS + 160_000)).toBe(1);
      await report('c', 5, NOW_MS + 160_000);
      await opened.run((tx) => tx.replicas.leave('b', NOW_MS + 160_000));
      expect(await report('a', 1, NOW_MS + 160_000)).toBe(6);
    });

    test('are not known for ever when the clock is set back', async () => {
      await report('a', 1, NOW_MS + 86_400_000);
      expect(await report('b', 1, NOW_MS)).toBe(1);
    });
  });
}
