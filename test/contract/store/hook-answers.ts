import { describe, expect, test } from 'vitest';
import { type OpenStore, useStore } from './opened.ts';
import { NOW_MS } from './samples.ts';

const WEEK_MS = 7 * 86_400_000;

export function hookAnswerContract(open: OpenStore): void {
  describe('answers of webhooks', () => {
    const opened = useStore(open);
    const ask = (key: string, answer: string, nowMs = NOW_MS) =>
      opened.run(async (tx) => {
        const known = await tx.hookAnswers.claim(key, nowMs);
        if (known !== null) return known;
        await tx.hookAnswers.put(key, answer);
        return answer;
      });

    test('are those of the first request of a key, for a week', async () => {
      expect(await ask('a', 'first')).toBe('first');
      expect(await ask('a', 'second', NOW_MS + WEEK_MS)).toBe('first');
      expect(await ask('b', 'other')).toBe('other');
      await opened.run((tx) => tx.retention.pruneTraces(0, 10, NOW_MS + WEEK_MS));
      expect(await ask('a', 'third', NOW_MS + WEEK_MS)).toBe('first');
      await opened.run((tx) => tx.retention.pruneTraces(0, 10, NOW_MS + WEEK_MS + 1));
      expect(await ask('a', 'fourth', NOW_MS + WEEK_MS + 1)).toBe('fourth');
    });

    test('are not those of a request that was refused', async () => {
      await opened.run(async (tx) => {
        await tx.hookAnswers.claim('a', NOW_MS);
        await tx.hookAnswers.release('a');
      });
      expect(await ask('a', 'first')).toBe('first');
    });

    test('are the same for requests at the same time', async () => {
      const answers = await Promise.all(['one', 'two', 'three'].map((answer) => ask('a', answer)));
      expect(new Set(answers).size).toBe(1);
    });
  });
}
