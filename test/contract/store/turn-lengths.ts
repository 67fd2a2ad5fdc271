import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { applyEvent } from '../../../src/engine/apply-event.ts';
import { anAgentJob, policy } from '../../jobs/support/builders.ts';
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

    test('is known also of a turn at which nothing was new for long', async () => {
      const lastLookAtMs = NOW_MS + 600_000;
      const job = aJob({
        stage: { kind: 'working', turnStartedAtMs: NOW_MS, settle: null },
        agentJob: anAgentJob(),
        checkedAtMs: NOW_MS + 5_000,
      });
      const tasks = [{ kind: 'check_job', runAtMs: NOW_MS, ifScheduled: 'keep' }] as const;
      await opened.run(async (tx) => {
        await tx.write(aDecision({ job, tasks }), NOW_MS);
        const claim = {
          nowMs: NOW_MS,
          leaseNowMs: NOW_MS,
          leaseUntilMs: NOW_MS + 1_000,
          inHand: [],
          limit: 1,
        };
        for (const { lease } of await tx.tasks.claim({ kinds: ['check_job'], ...claim })) {
          const check = { kind: 'check_job', lease, nextCheckAtMs: lastLookAtMs + 20_000 } as const;
          await tx.checks.endUnchanged([check], lastLookAtMs);
        }
      });
      const rulesOf = () => ({ projects: [], channels: new Map(), noticeChannels: [] });
      const nowMs = lastLookAtMs + 20_000;
      const context = { nowMs, jitter: 0.5, newId: randomUUID, policy, paces: new Map(), rulesOf };
      const agentJob = anAgentJob({ status: 'completed' });
      await opened.run((tx) => applyEvent(tx, job.id, { type: 'job_checked', agentJob }, context));
      expect(await known()).toEqual(new Map([['docs', [610_000]]]));
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
