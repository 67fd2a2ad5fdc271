import { describe, expect, test } from 'vitest';
import { type OpenStore, useStore } from './opened.ts';
import { aDecision, aJob, NOW_MS } from './samples.ts';

export function turnLengthContract(open: OpenStore): void {
  describe('how long turns took', () => {
    const opened = useStore(open);
    const ended = (projectId: string, turnLengthMs: number) =>
      opened.run((tx) => tx.write(aDecision({ job: aJob({ projectId }), turnLengthMs }), NOW_MS));
    const known = () => opened.run((tx) => tx.turnLengths.all());

    test('is known for each project, the latest last', async () => {
      expect(await known()).toEqual(new Map());
      await ended('docs', 60_000);
      await ended('handbook', 5_000);
      await ended('docs', 30_000);
      expect(await known()).toEqual(
        new Map([
          ['docs', [60_000, 30_000]],
          ['handbook', [5_000]],
        ]),
      );
    });

    test('is not noted by decisions that end no turn, nor by those that are undone', async () => {
      await opened.run((tx) => tx.write(aDecision(), NOW_MS));
      const undone = opened.run(async (tx) => {
        await tx.write(aDecision({ turnLengthMs: 1_000 }), NOW_MS);
        throw new Error('undone');
      });
      await expect(undone).rejects.toThrow('undone');
      expect(await known()).toEqual(new Map());
    });

    test('is noted for all of many turns that end at the same time', async () => {
      const lengths = Array.from({ length: 12 }, (_, index) => 1_000 + index);
      await Promise.all(
        lengths.map((turnLengthMs, index) => {
          const job = aJob({ id: `job-${index}`, threadTs: null });
          return opened.run((tx) => tx.write(aDecision({ job, turnLengthMs }), NOW_MS));
        }),
      );
      const noted = (await known()).get('docs') ?? [];
      expect(noted.toSorted((a, b) => a - b)).toEqual(lengths);
    });

    test('is kept of the last 200 turns', async () => {
      await opened.run(async (tx) => {
        for (let index = 1; index <= 203; index += 1) await tx.turnLengths.add('docs', index);
      });
      const lengths = (await known()).get('docs') ?? [];
      expect([lengths.length, lengths[0], lengths.at(-1)]).toEqual([200, 4, 203]);
    });
  });
}
