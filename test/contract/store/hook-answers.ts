import { describe, expect, test } from 'vitest';
import { type OpenStore, useStore } from './opened.ts';
import { NOW_MS } from './samples.ts';

const MONTH_MS = 30 * 86_400_000;

export function hookAnswerContract(open: OpenStore): void {
  describe('answers of webhooks', () => {
    const opened = useStore(open);
    const ask = (key: string, answer: string, nowMs = NOW_MS) =>
      opened.run(async (tx) => {
        const known = await tx.inboundRequests.claim(key, nowMs);
        if (known !== null) return known;
        await tx.inboundRequests.answer(key, answer);
        return answer;
      });

    test('are those of the first request of a key, for 30 days', async () => {
      expect(await ask('a', 'first')).toBe('first');
      expect(await ask('a', 'second', NOW_MS + MONTH_MS)).toBe('first');
      expect(await ask('b', 'other')).toBe('other');
      await opened.run((tx) => tx.retention.pruneTraces(0, 10, NOW_MS + MONTH_MS));
      expect(await ask('a', 'third', NOW_MS + MONTH_MS)).toBe('first');
      await opened.run((tx) => tx.retention.pruneTraces(0, 10, NOW_MS + MONTH_MS + 1));
      expect(await ask('a', 'fourth', NOW_MS + MONTH_MS + 1)).toBe('fourth');
    });

    test('are not those of a request that was refused', async () => {
      await opened.run(async (tx) => {
        await tx.inboundRequests.claim('a', NOW_MS);
        await tx.inboundRequests.release('a');
      });
      expect(await ask('a', 'first')).toBe('first');
    });

    test('are the same for requests at the same time', async () => {
      const answers = await Promise.all(['one', 'two', 'three'].map((answer) => ask('a', answer)));
      expect(new Set(answers).size).toBe(1);
    });
  });
}
