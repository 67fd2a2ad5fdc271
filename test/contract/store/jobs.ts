import { describe, expect, test } from 'vitest';
import type { NewCall } from '../../../src/jobs/call.ts';
import type { Decision } from '../../../src/jobs/decide/decision-builder.ts';
import type { FollowUp } from '../../../src/jobs/follow-ups/follow-up.ts';
import type { Job, Stage } from '../../../src/jobs/job.ts';
import type { Transaction } from '../../../src/store/store.ts';
import { anAgentJob } from '../../jobs/support/builders.ts';
import { fc } from '../../support/properties.ts';
import { type OpenStore, useStore } from './opened.ts';
import { aCall, aDecision, aFollowUp, aJob, NOW_MS, THREAD_TS } from './samples.ts';

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
  });

  describe('retention', () => {
    const OLD_MS = NOW_MS - 1_000;
    const DAY_MS = 86_400_000;
    const ended: Stage = { kind: 'ended', status: 'completed', sinceMs: 0 };
    const working: Stage = { kind: 'working', turnStartedAtMs: OLD_MS, settle: null };

    const draft = { number: 1, thread: null, messages: [], postTs: null };
    const stages: readonly Stage[] = [
      { kind: 'awaiting_confirmation', sameAsJobId: 'job-0', thread: null },
      { kind: 'draft', ...draft },
      { kind: 'dropped', why: 'expired', byUserId: null, number: 1, formerThreadTs: null },
      { kind: 'opening' },
      { kind: 'card_failed', reason: 'not_in_channel', thread: null },
      { kind: 'creating' },
      { kind: 'create_unknown', callId: 'call-0', sinceMs: 0 },
      { kind: 'rejected', message: 'no' },
      working,
      ended,
    ];
    const OVER = ['awaiting_confirmation', 'dropped', 'card_failed', 'rejected', 'ended'];

    const opened = useStore(open);
    const write = (fields: Partial<Decision>, nowMs = OLD_MS) => opened.write(fields, nowMs);
    const settle = (callId: string, atMs = OLD_MS) =>
      opened.run((tx) => tx.calls.recordOutcome(callId, { state: 'done', detail: null }, atMs));
    const oldJob = (fields: Partial<Job> = {}) => aJob({ requestedAtMs: OLD_MS, stage: ended, ...fields });
    const prune = async (limit = 2) => {
      let total = 0;
      for (let pruned = 1; pruned > 0; total += pruned)
        pruned = await opened.run((tx) => tx.retention.pruneJobs(NOW_MS, limit, NOW_MS));
      return total;
    };
    const exists = (id: string) => opened.run(async (tx) => (await tx.jobs.get(id)) !== null);

    test('a job that is over and old goes with its replies and calls, and leaves its thread as a past one', async () => {
      const job = oldJob();
      const { teamId, channelId } = job;
      const thread = { teamId, channelId, threadTs: job.threadTs ?? '' };
      await write({
        job,
        followUps: [aFollowUp({ state: 'sent', receivedAtMs: OLD_MS })],
        calls: [aCall('a')],
      });
      await settle('a');
      const isPast = () => opened.run((tx) => tx.retention.isPast(thread));
      expect(await isPast()).toBe(false);
      expect(await prune()).toBe(1);
      expect(await exists(job.id)).toBe(false);
      expect(await opened.run((tx) => tx.calls.get('a'))).toBeNull();
      expect(await isPast()).toBe(true);
      expect(await prune()).toBe(0);
    });

    test('whatever there is, nothing open goes, and all that is over goes, in batches of any size', async () => {
      const when = fc.constantFrom(OLD_MS, NOW_MS);
      const anyJob = fc.record({
        stage: fc.constantFrom(...stages),
        requestedAtMs: when,
        call: fc.option(fc.record({ endedAtMs: fc.option(when) })),
        reply: fc.option(
          fc.record({
            receivedAtMs: when,
            state: fc.constantFrom<FollowUp['state']>('waiting', 'sending', 'sent', 'not_sent', 'unknown'),
          }),
        ),
        task: fc.boolean(),
      });
      let run = 0;
      await fc.assert(
        fc.asyncProperty(
          fc.array(anyJob, { minLength: 4, maxLength: 8 }),
          fc.integer({ min: 1, max: 4 }),
          async (jobs, size) => {
            run += 1;
            const kept = new Map<string, boolean>();
            for (const [index, { stage, requestedAtMs, call, reply, task }] of jobs.entries()) {
              const id = `job-${run}-${index}`;
              const calls: NewCall[] = call === null ? [] : [aCall(id)];
              await write({
                job: aJob({ id, stage, requestedAtMs, threadTs: null }),
                calls,
                followUps: reply === null ? [] : [aFollowUp({ id, jobId: id, ...reply })],
                tasks: task ? [{ kind: 'read_snippets', runAtMs: NOW_MS, ifScheduled: 'keep' }] : [],
              });
              if (call !== null && call.endedAtMs !== null) await settle(id, call.endedAtMs);
              const isOpen = !OVER.includes(stage.kind) || task || (call !== null && call.endedAtMs === null);
              const isWaiting = reply?.state === 'waiting' || reply?.state === 'sending';
              const times = [requestedAtMs, call?.endedAtMs, reply?.receivedAtMs];
              kept.set(id, isOpen || isWaiting || times.includes(NOW_MS));
            }
            await prune(size);
            for (const [id, isKept] of kept) expect([id, await exists(id)]).toEqual([id, isKept]);
          },
        ),
        { numRuns: 60 },
      );
    });

    describe('a notice of a job that was deleted', () => {
      const notice = (id: string, channelId = 'C9', url = 'https://github.com/acme/docs/pull/1') =>
        aCall(id, {
          naturalKey: `notice:T1:${channelId}:${url}`,
          lane: { to: 'slack', name: `notice:${id}:${channelId}` },
          request: { kind: 'notify_channel', channelId, url },
        });
      const announced = async (call: NewCall) => {
        await write({ job: oldJob(), calls: [call] });
        await settle(call.id);
      };
      const isWanted = async (call: NewCall) => {
        await write({ job: oldJob({ id: 'job-2', threadTs: '1700000002.000100' }), calls: [call] });
        return opened.run(async (tx) => (await tx.calls.get(call.id)) !== null);
      };

      test('is not made again for the same link in the same channel', async () => {
        await announced(notice('a'));
        expect(await prune()).toBe(1);
        expect(await isWanted(notice('b'))).toBe(false);
        expect(await isWanted(notice('c', 'C8'))).toBe(true);
        expect(await isWanted(notice('d', 'C9', 'https://github.com/acme/docs/pull/2'))).toBe(true);
      });
    });

    test('a request is known until it is old, and all that is old goes in small batches', async () => {
      const remember = (key: string, atMs: number) =>
        opened.run((tx) => tx.inboundRequests.remember([key], atMs));
      for (let index = 0; index < 5; index += 1) await remember(`event:${index}`, OLD_MS);
      await remember('event:new', NOW_MS);
      const pruneTraces = () => opened.run((tx) => tx.retention.pruneTraces(NOW_MS, 3, NOW_MS + 30 * DAY_MS));
      expect([await pruneTraces(), await pruneTraces(), await pruneTraces()]).toEqual([3, 2, 0]);
      expect(await remember('event:1', NOW_MS)).toBe(true);
      expect(await remember('event:new', NOW_MS)).toBe(false);
    });
  });

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

    test('a check writes, again and again, and fails when the store is closed', async () => {
      await opened.store.check();
      await opened.store.check();
      await opened.store.close();
      await expect(opened.store.check()).rejects.toThrow();
    });
  });
}
