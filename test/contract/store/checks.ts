import { describe, expect, test } from 'vitest';
import { applyEvent } from '../../../src/engine/apply-event.ts';
import type { JobEvent } from '../../../src/jobs/event.ts';
import type { ClaimedTask, Scheduled } from '../../../src/store/store.ts';
import { contextAt } from '../../engine/support/context.ts';
import { aFailure, anAgentJob } from '../../jobs/support/builders.ts';
import { type OpenStore, useStore } from './opened.ts';
import { aFollowUp, aJob, NOW_MS } from './samples.ts';

const LEASE_MS = 1_000;
const LATER_MS = NOW_MS + 60_000;
const DAY_MS = 86_400_000;
const notFound = aFailure({ reason: 'not_found', status: 404 });

export function checkContract(open: OpenStore): void {
  describe('checks of many jobs', () => {
    const opened = useStore(open);
    const plan = (jobId: string, runAtMs = NOW_MS) => opened.schedule('check_job', jobId, runAtMs, 'replace');
    const claim = (nowMs: number) => opened.claim(['check_job'], nowMs);
    const putOff = (tasks: readonly ClaimedTask[], nextCheckAtMs = LATER_MS) =>
      opened.run((tx) =>
        tx.checks.endUnchanged(
          tasks.map(({ lease }) => ({ kind: 'check_job' as const, lease, nextCheckAtMs })),
          NOW_MS,
        ),
      );
    const subjects = (tasks: readonly ClaimedTask[]) => tasks.map(({ subject }) => subject).sort();

    test('what is watched is read with what was saved for its channel', async () => {
      const settings = { followUpMode: 'mentions' } as const;
      await opened.write();
      const other = aJob({ id: 'job-2', threadTs: null, channelId: 'C2' });
      await opened.write({ job: other });
      await opened.run((tx) => tx.channelSettings.replace('T1', 'C2', settings));
      const found = await opened.run((tx) => tx.checks.read(['job-1', 'job-2', 'job-3']));
      expect(Object.fromEntries(found)).toEqual({
        'job-1': { job: aJob({ number: 1 }), saved: null, hasUnsent: false },
        'job-2': { job: { ...other, number: 2 }, saved: settings, hasUnsent: false },
      });
    });

    test.each([
      ['waiting', true],
      ['unknown', true],
      ['sent', false],
      ['aside', false],
      ['muted', false],
      ['excluded', false],
    ] as const)('whether replies are still to be sent is said: %s', async (state, hasUnsent) => {
      await opened.write({ followUps: [aFollowUp({ state })] });
      const found = await opened.run((tx) => tx.checks.read(['job-1']));
      expect(found.get('job-1')?.hasUnsent).toBe(hasUnsent);
    });

    test('all that found nothing new are put off together', async () => {
      for (const id of ['job-1', 'job-2', 'job-3']) await plan(id);
      const tasks = await claim(NOW_MS);
      expect([...(await putOff(tasks))].sort()).toEqual(subjects(tasks).map((id) => `check_job:${id}`));
      expect(await claim(LATER_MS - 1)).toEqual([]);
      expect(subjects(await claim(LATER_MS))).toEqual(['job-1', 'job-2', 'job-3']);
    });

    test('listeners for checks learn when the first is due again', async () => {
      for (const id of ['job-1', 'job-2']) await plan(id);
      const [first, second] = await claim(NOW_MS);
      const heard: Scheduled[] = [];
      const end = opened.store.onScheduled((scheduled) => heard.push(scheduled));
      const checks = [
        { kind: 'check_job', lease: first?.lease ?? fail(), nextCheckAtMs: LATER_MS },
        { kind: 'check_job', lease: second?.lease ?? fail(), nextCheckAtMs: NOW_MS + 500 },
      ] as const;
      await opened.run((tx) => tx.checks.endUnchanged(checks, NOW_MS));
      end();
      expect(heard).toEqual([new Map([['check_job', NOW_MS + 500]])]);
    });

    test('a check that somebody has planned again in the meantime is not put off', async () => {
      await plan('job-1');
      const tasks = await claim(NOW_MS);
      await plan('job-1', NOW_MS + 5);
      expect(await putOff(tasks)).toEqual(new Set());
      await opened.run((tx) => tx.tasks.complete(tasks[0]?.lease ?? fail()));
      expect(subjects(await claim(NOW_MS + 5))).toEqual(['job-1']);
    });

    test('a check that another process has taken over is not put off', async () => {
      await plan('job-1');
      const tasks = await claim(NOW_MS);
      const taken = await claim(NOW_MS + LEASE_MS);
      expect(await putOff(tasks)).toEqual(new Set());
      expect(await putOff(taken)).toEqual(new Set(['check_job:job-1']));
    });

    test('a job is shown with its last check, whether that found something new or not', async () => {
      const job = aJob({ checkedAtMs: NOW_MS - 5 });
      await opened.run((tx) => tx.jobs.put(job));
      const shown = () => opened.run(async (tx) => (await tx.jobs.readUnlocked('job-1'))?.job.checkedAtMs);
      expect(await shown()).toBe(NOW_MS - 5);
      await plan('job-1');
      expect(await shown()).toBe(NOW_MS - 5);
      await putOff(await claim(NOW_MS));
      expect(await shown()).toBe(NOW_MS);
      await opened.run((tx) => tx.jobs.put(aJob({ checkedAtMs: NOW_MS + 5 })));
      expect(await shown()).toBe(NOW_MS + 5);
    });

    test('whoever locks a job, or shows its card, has it with its last check, and writes no other time', async () => {
      await opened.write({ job: aJob({ checkedAtMs: NOW_MS - 5 }) }, NOW_MS - 5);
      await plan('job-1');
      await putOff(await claim(NOW_MS));
      const lock = () => opened.run((tx) => tx.jobs.lock('job-1'));
      expect((await lock())?.job.checkedAtMs).toBe(NOW_MS);
      expect((await opened.run((tx) => tx.jobs.readUnlocked('job-1')))?.job.checkedAtMs).toBe(NOW_MS);
      await opened.write({ job: aJob({ checkedAtMs: NOW_MS + 5 }) }, NOW_MS + 5);
      expect((await lock())?.job.checkedAtMs).toBe(NOW_MS + 5);
    });

    test.each<[string, JobEvent]>([
      ['is stopped', { type: 'stop_watching_pressed', question: 1 }],
      ['has vanished', { type: 'check_failed', agentJobId: 'agent-1', failure: notFound }],
    ])('the last check of a job that %s is shown, also when no other is planned', async (_what, event) => {
      const job = aJob({
        stage: {
          kind: 'working',
          turnStartedAtMs: NOW_MS,
          settle: null,
          question: { number: 1, answer: null },
        },
        agentJob: anAgentJob({ id: 'agent-1' }),
        missing: { sinceMs: NOW_MS, untilMs: NOW_MS },
        checkedAtMs: NOW_MS - 5,
      });
      const tasks = [{ kind: 'check_job', runAtMs: NOW_MS, ifScheduled: 'keep' }] as const;
      await opened.write({ job, tasks });
      await putOff(await claim(NOW_MS));
      await opened.run((tx) => applyEvent(tx, job.id, event, contextAt(NOW_MS + DAY_MS)));
      for (const { lease } of await claim(NOW_MS + DAY_MS))
        await opened.run((tx) => tx.tasks.complete(lease));
      expect((await opened.run((tx) => tx.jobs.get(job.id)))?.checkedAtMs).toBe(NOW_MS);
    });

    test('are brought forward for a project, and the cards of its open jobs refreshed', async () => {
      const cardsAt = (nowMs: number) =>
        opened.run((tx) => tx.tasks.nextDueAtMs(['refresh_card'])).then((atMs) => atMs === nowMs);
      for (const [id, projectId] of [
        ['one', 'docs'],
        ['two', 'docs'],
        ['other', 'site'],
      ] as const) {
        const job = aJob({ id, projectId, threadTs: `${id}.000100`, agentJob: anAgentJob() });
        await opened.write({ job });
        await plan(id, LATER_MS);
      }
      await opened.schedule('refresh_card', 'one', LATER_MS);
      await opened.run((tx) => tx.checks.refreshCardsOf('docs', NOW_MS));
      expect(await cardsAt(NOW_MS)).toBe(true);
      expect(subjects(await opened.claim(['refresh_card'], NOW_MS))).toEqual(['one', 'two']);
      await opened.run((tx) => tx.tasks.runGroupNow('check_job', 'docs/', NOW_MS));
      expect(subjects(await claim(NOW_MS))).toEqual(['one', 'two']);
      await opened.run((tx) => tx.checks.refreshCardsOf('nowhere', NOW_MS));
    });
  });
}

function fail(): never {
  throw new Error('a task is due');
}
