import { describe, expect, test } from 'vitest';
import type { Job } from '../../../src/jobs/job.ts';
import type { Transaction } from '../../../src/store/store.ts';
import { anAgentJob } from '../../jobs/support/builders.ts';
import { fc } from '../../support/properties.ts';
import { type OpenStore, useStore } from './opened.ts';
import { aDecision, aFollowUp, aJob, NOW_MS, THREAD_TS } from './samples.ts';

export function jobContract(open: OpenStore): void {
  describe('jobs and their replies', () => {
    const opened = useStore(open);
    const write = (fields: Parameters<typeof aDecision>[0]) => opened.write(fields);
    const lock = (jobId = 'job-1') => opened.run((tx) => tx.jobs.lock(jobId));

    test('a job is read as it was written last', async () => {
      await write({ job: aJob({ threadTs: null, stage: { kind: 'opening' } }) });
      const job = aJob({
        number: 1,
        stage: { kind: 'working', turnStartedAtMs: NOW_MS, settle: null },
        lastAnnounced: { status: 'active', turn: 1 },
      });
      await write({ job });
      expect(await opened.run((tx) => tx.jobs.get('job-1'))).toEqual(job);
      expect(await lock()).toEqual({ job, followUps: [], saved: null });
    });

    test('with a job comes what administrators saved for its channel', async () => {
      await write({});
      const { teamId, channelId } = aJob();
      const settings = { followUpMode: 'mentions' } as const;
      await opened.run((tx) => tx.channelSettings.replace(teamId, channelId, settings));
      expect((await lock())?.saved).toEqual(settings);
    });

    test('each job has a number, the next one of its workspace, which it keeps', async () => {
      const get = async (id: string) => (await opened.run((tx) => tx.jobs.get(id))) ?? aJob();
      const put = (facts: Partial<Job>) => write({ job: aJob({ threadTs: null, ...facts }) });
      await put({ id: 'a' });
      await put({ id: 'b' });
      await put({ id: 'elsewhere', teamId: 'T2' });
      await put({ ...(await get('a')), posts: 3 });
      await put({ id: 'c' });
      const jobs = await Promise.all(['a', 'b', 'c', 'elsewhere'].map(get));
      expect(jobs.map(({ number }) => number)).toEqual([1, 2, 3, 1]);
      expect(jobs[0]).toMatchObject({ posts: 3 });
    });

    test('jobs that are stored at the same time have a number each, and one that was not stored leaves no gap', async () => {
      const ids = ['a', 'b', 'c', 'd', 'e', 'f'];
      const failing = opened.run(async (tx) => {
        await tx.write(aDecision({ job: aJob({ id: 'undone', threadTs: null }) }), NOW_MS);
        throw new Error('undone');
      });
      await Promise.allSettled([failing]);
      await Promise.all(ids.map((id) => write({ job: aJob({ id, threadTs: null }) })));
      const numbers = await Promise.all(
        ids.map(async (id) => (await opened.run((tx) => tx.jobs.get(id)))?.number ?? 0),
      );
      expect(numbers.sort()).toEqual([1, 2, 3, 4, 5, 6]);
    });

    test('when its card was edited is remembered, whatever becomes of the job', async () => {
      await write({});
      const drawnAtMs = (jobId = 'job-1') =>
        opened.run(async (tx) => (await tx.jobs.readUnlocked(jobId))?.cardDrawnAtMs);
      expect(await drawnAtMs()).toBeNull();
      await opened.run((tx) => tx.jobs.cardDrawn('job-1', NOW_MS));
      await write({ job: aJob({ posts: 2 }) });
      expect(await drawnAtMs()).toBe(NOW_MS);
      expect((await lock())?.job.posts).toBe(2);
      expect(await drawnAtMs('nobody')).toBeUndefined();
    });

    test('whatever changes of a locked job is written, and it is found by what it became', async () => {
      await write({ job: aJob({ threadTs: '1.1' }) });
      const change = (...all: readonly Partial<Job>[]) =>
        opened.run(async (tx) => {
          const job = (await tx.jobs.lock('job-1'))?.job ?? aJob();
          for (const facts of all) await tx.write(aDecision({ job: { ...job, ...facts } }), NOW_MS);
        });
      const of = (threadTs: string) => opened.run((tx) => tx.jobs.findByThread('T1', 'C1', threadTs));
      await change({ posts: 2 });
      expect((await lock())?.job).toMatchObject({ posts: 2, threadTs: '1.1' });
      await change({ posts: 3 }, { posts: 3, threadTs: '2.2' });
      expect([await of('1.1'), await of('2.2')]).toEqual([null, 'job-1']);
      await change({ threadTs: '3.3' }, { posts: 4 });
      expect([await of('2.2'), await of('3.3')]).toEqual(['job-1', null]);
      expect((await lock())?.job).toMatchObject({ posts: 4, threadTs: '2.2' });
    });

    test('a job is found by its thread', async () => {
      await write({ job: aJob() });
      const find = (...thread: [string, string, string]) =>
        opened.run((tx) => tx.jobs.findByThread(...thread));
      expect(await find('T1', 'C1', THREAD_TS)).toBe('job-1');
      expect(await find('T2', 'C1', THREAD_TS)).toBeNull();
      expect(await find('T1', 'C2', THREAD_TS)).toBeNull();
      expect(await find('T1', 'C1', '1700000000.000200')).toBeNull();
    });

    test('a reply is found that waits for *Try again* with a job whose card was refused', async () => {
      const stage = { kind: 'card_failed', reason: 'restricted_action', thread: null } as const;
      const followUps = [
        aFollowUp({ id: 'f-1', messageTs: '1.1', state: 'not_sent' }),
        aFollowUp({ id: 'f-2', messageTs: '1.2', state: 'withdrawn' }),
      ];
      await write({ job: aJob({ threadTs: null, stage }), followUps });
      const find = (...reply: [string, string, string]) =>
        opened.run((tx) => tx.jobs.findByRefusedCard(...reply));
      expect(await find('T1', 'C1', '1.1')).toBe('job-1');
      expect(await find('T2', 'C1', '1.1')).toBeNull();
      expect(await find('T1', 'C2', '1.1')).toBeNull();
      expect(await find('T1', 'C1', '1.2')).toBeNull();
      await write({ job: aJob({ threadTs: null, stage: { kind: 'opening' } }) });
      expect(await find('T1', 'C1', '1.1')).toBeNull();
    });

    test('what a person asked for in a channel is found, newest first', async () => {
      const jobs = [
        aJob({ id: 'old', threadTs: null, requestedAtMs: 100 }),
        aJob({ id: 'first', threadTs: null, requestedAtMs: 300 }),
        aJob({ id: 'second', threadTs: null, requestedAtMs: 400 }),
        aJob({ id: 'elsewhere', threadTs: null, requestedAtMs: 400, channelId: 'C2' }),
        aJob({ id: 'other-team', threadTs: null, requestedAtMs: 400, teamId: 'T2' }),
        aJob({ id: 'somebody', threadTs: null, requestedAtMs: 400, requesterId: 'U2' }),
        aJob({ id: 'nobody', threadTs: null, requestedAtMs: 400, requesterId: null }),
      ];
      for (const job of jobs) await write({ job });
      const asker = { teamId: 'T1', channelId: 'C1', requesterId: 'U1' };
      const found = await opened.run((tx) => tx.jobs.requestedBy(asker, 200));
      expect(found.map(({ id }) => id)).toEqual(['second', 'first']);
      const nobodys = await opened.run((tx) => tx.jobs.requestedBy({ ...asker, requesterId: null }, 200));
      expect(nobodys.map(({ id }) => id)).toEqual(['nobody']);
    });

    const asker = { teamId: 'T1', channelId: 'C1' };
    test.each<[string, Partial<Job>, (tx: Transaction) => Promise<unknown[]>]>([
      [
        'of one person',
        { requesterId: 'U1' },
        (tx) => tx.jobs.requestedBy({ ...asker, requesterId: 'U1' }, 0),
      ],
      ['of nobody', { requesterId: null }, (tx) => tx.jobs.requestedBy({ ...asker, requesterId: null }, 0)],
      [
        'to watch one agent job',
        { watchedAgentJobId: 'agent-1' },
        (tx) => tx.jobs.ofAgentJob('T1', 'docs', 'agent-1'),
      ],
    ])('of requests %s at the same time, each sees those before it', async (_what, facts, before) => {
      const ask = (id: string) =>
        opened.run(async (tx) => {
          const { length } = await before(tx);
          await tx.write(aDecision({ job: aJob({ id, threadTs: null, ...facts }) }), NOW_MS);
          return length;
        });
      const seen = await Promise.all(['a', 'b', 'c', 'd', 'e'].map(ask));
      expect(seen.sort()).toEqual([0, 1, 2, 3, 4]);
    });

    test('a job is found by its agent job, also before that was read', async () => {
      const jobs = [
        aJob({ id: 'created', threadTs: null, requestedAtMs: 100, agentJob: anAgentJob() }),
        aJob({ id: 'attached', threadTs: null, requestedAtMs: 200, watchedAgentJobId: 'agent-1' }),
        aJob({ id: 'other', threadTs: null, watchedAgentJobId: 'agent-2' }),
        aJob({ id: 'other-project', threadTs: null, watchedAgentJobId: 'agent-1', projectId: 'p-2' }),
        aJob({ id: 'other-team', threadTs: null, watchedAgentJobId: 'agent-1', teamId: 'T2' }),
      ];
      for (const job of jobs) await write({ job });
      const found = await opened.run((tx) => tx.jobs.ofAgentJob('T1', 'docs', 'agent-1'));
      expect(found.map(({ id }) => id)).toEqual(['attached', 'created']);
    });

    test('a thread belongs to one job; jobs without a thread do not get in each other’s way', async () => {
      await write({ job: aJob({ threadTs: null }) });
      await write({ job: aJob({ id: 'job-2', threadTs: null }) });
      await write({ job: aJob() });
      await expect(write({ job: aJob({ id: 'job-2' }) })).rejects.toThrow();
    });

    test('emoji, right-to-left text and 40,000 characters survive', async () => {
      const prompt = `${'👩🏽‍💻 שלום מרחבא 文档 "\\\u2028'.repeat(2_000)}`.slice(0, 40_000);
      await write({ job: aJob({ prompt }), followUps: [aFollowUp({ text: prompt })] });
      const state = await lock();
      expect(state?.job.prompt).toBe(prompt);
      expect(state?.followUps[0]?.text).toBe(prompt);
    });

    test('no text makes a reply unwritable', { timeout: 30_000 }, async () => {
      const anyText = fc.oneof(fc.string({ unit: 'binary' }), fc.constant('a\0b'), fc.constant('\ud800'));
      await fc.assert(
        fc.asyncProperty(anyText, async (text) => {
          await write({ job: aJob({ prompt: text }), followUps: [aFollowUp({ text })] });
          expect((await lock())?.job.prompt).toBe(text);
        }),
        { numRuns: 30 },
      );
    });

    test('unsent replies are included, in the order of Slack’s timestamps', async () => {
      const states = ['waiting', 'sent', 'unknown', 'sending', 'not_sent'] as const;
      const followUps = states.map((state, index) =>
        aFollowUp({ id: `f${index}`, messageTs: `170000000${9 - index}.000100`, state }),
      );
      await write({ followUps });
      const expected = followUps.filter((followUp) => followUp.state !== 'sent').toReversed();
      expect((await lock())?.followUps).toEqual(expected);
    });

    test('the reply that an event is about is included, whatever its state', async () => {
      const states = ['waiting', 'sent', 'aside', 'muted', 'excluded', 'withdrawn'] as const;
      const followUps = states.map((state, index) =>
        aFollowUp({ id: state, messageTs: `170000000${index}.000100`, state, corrected: state }),
      );
      await write({ followUps });
      expect((await lock())?.followUps.map(({ id }) => id)).toEqual(['waiting']);
      for (const followUp of followUps.slice(1)) {
        const state = await opened.run((tx) => tx.jobs.lock('job-1', followUp.messageTs));
        expect(state?.followUps).toEqual([followUps[0], followUp]);
      }
    });

    test('locking leaves none behind that goes out by itself, however many were refused before', async () => {
      const refused = Array.from({ length: 500 }, (_, index) =>
        aFollowUp({ id: `r${index}`, messageTs: `${1_700_000_000 + index}.000100`, state: 'not_sent' }),
      );
      const waiting = aFollowUp({ id: 'late', messageTs: '1700009999.000100' });
      await write({ followUps: [...refused, waiting] });
      const followUps = (await lock())?.followUps ?? [];
      expect(followUps).toHaveLength(500);
      expect(followUps.at(-1)).toEqual(waiting);
    });

    test('a thread with very many replies is taken in parts, the oldest first', async () => {
      const followUps = Array.from({ length: 520 }, (_, index) =>
        aFollowUp({ id: `f${index}`, messageTs: `${1_700_000_000 + index}.000100` }),
      );
      await write({ followUps: followUps.toReversed() });
      expect((await lock())?.followUps).toEqual(followUps.slice(0, 500));
    });

    test('a reply that is stored already is not stored a second time', async () => {
      await write({ followUps: [aFollowUp()] });
      await write({ followUps: [aFollowUp({ id: 'follow-up-2' })] });
      expect((await lock())?.followUps).toEqual([aFollowUp()]);
    });

    test('the same timestamp in another job is another reply', async () => {
      await write({ followUps: [aFollowUp()] });
      const other = aFollowUp({ id: 'follow-up-2', jobId: 'job-2' });
      await write({ job: aJob({ id: 'job-2', channelId: 'C2' }), followUps: [other] });
      expect((await lock('job-2'))?.followUps).toEqual([other]);
    });

    test('eight replies to one thread at the same time are all kept', async () => {
      await write({});
      const reply = (index: number) =>
        opened.run(async (tx) => {
          const state = await tx.jobs.lock('job-1');
          if (state === null) throw new Error('the job is stored');
          const job = { ...state.job, posts: state.job.posts + 1 };
          const followUp = aFollowUp({ id: `f${index}`, messageTs: `170000000${index}.000100` });
          await tx.write(aDecision({ job, followUps: [followUp] }), NOW_MS);
        });
      await Promise.all(Array.from({ length: 8 }, (_, index) => reply(index)));
      const state = await lock();
      expect(state?.job.posts).toBe(8);
      expect(state?.followUps).toHaveLength(8);
    });
  });
}
