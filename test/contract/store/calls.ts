import { describe, expect, test } from 'vitest';
import type { NewCall } from '../../../src/jobs/call.ts';
import type { Job } from '../../../src/jobs/job.ts';
import type { ClaimedTask, Scheduled } from '../../../src/store/store.ts';
import { anAgentJob } from '../../jobs/support/builders.ts';
import { type OpenStore, useStore } from './opened.ts';
import { aCall, aCreateCall, aFollowUp, aJob, NOW_MS } from './samples.ts';

export function callContract(open: OpenStore): void {
  describe('the ledger of calls', () => {
    const LANE = 'thread:job-1';
    const HOUR_MS = 3_600_000;

    const opened = useStore(open);
    const want = (...calls: NewCall[]) => opened.write({ calls });
    const next = async (lane = LANE) => (await opened.run((tx) => tx.calls.next(lane)))?.call ?? null;
    const start = (id: string, atMs = NOW_MS) => opened.run((tx) => tx.calls.start(id, atMs));
    const settle = (id: string, state: 'done' | 'failed' | 'unknown' | 'retry' | 'not_made') =>
      opened.run((tx) => tx.calls.recordOutcome(id, { state, detail: 'why' }, NOW_MS));
    /** When the calls in the project's budget were started. */
    const budget = (projectId = 'docs', sinceMs = NOW_MS - HOUR_MS) =>
      opened.run((tx) => tx.calls.agentCallsStartedAt(projectId, sinceMs, NOW_MS));

    test('a call that was not made has failed, and uses up no budget; one that failed does', async () => {
      await want(aCreateCall('a'), aCreateCall('b'));
      await start('a');
      await settle('a', 'not_made');
      expect(await budget()).toEqual([]);
      expect((await opened.run((tx) => tx.calls.get('a')))?.state).toBe('failed');
      await start('b');
      await settle('b', 'failed');
      expect(await budget()).toEqual([NOW_MS]);
    });

    test('a call that a clock that was ahead has started uses up no budget until then', async () => {
      await want(aCreateCall('a'), aCreateCall('b'));
      await start('a', NOW_MS + 24 * HOUR_MS);
      await start('b', NOW_MS + 20_000);
      expect(await budget()).toEqual([NOW_MS + 20_000]);
    });

    test('the job of a call is found by its natural key, however long that is', async () => {
      const long = `draft:${'x'.repeat(3_000)}`;
      await want(aCall('a', { naturalKey: 'draft:1' }), aCall('b', { naturalKey: long }));
      const jobOf = (key: string) => opened.run((tx) => tx.calls.jobOf(key));
      expect([await jobOf('draft:1'), await jobOf(long), await jobOf('draft:2')]).toEqual([
        'job-1',
        'job-1',
        null,
      ]);
    });

    test('a wanted call is read as it was wanted', async () => {
      const request = {
        kind: 'announce',
        announcement: { kind: 'recovered' },
      } as const;
      await want(aCall('a', { request }));
      const expected = {
        id: 'a',
        jobId: 'job-1',
        lane: LANE,
        request,
        state: 'pending',
        createdAtMs: NOW_MS,
        startedAtMs: null,
        heldSinceMs: null,
        sent: null,
      };
      expect(await next()).toEqual(expected);
      expect(await opened.run((tx) => tx.calls.get('a'))).toEqual(expected);
    });

    test('calls of a lane keep the order of their requests, and a started one stays first', async () => {
      await want(aCall('b'), aCall('c'));
      await want(aCall('a'));
      expect((await next())?.id).toBe('b');
      await start('b', NOW_MS + 5);
      expect(await next()).toMatchObject({ id: 'b', state: 'started', startedAtMs: NOW_MS + 5 });
      await settle('b', 'done');
      expect((await next())?.id).toBe('c');
      await start('c');
      await settle('c', 'failed');
      expect((await next())?.id).toBe('a');
      await start('a');
      await settle('a', 'unknown');
      expect(await next()).toBeNull();
    });

    test('a second call with the same natural key does nothing', async () => {
      await want(aCall('a', { naturalKey: 'card' }));
      await want(aCall('b', { naturalKey: 'card' }));
      expect(await opened.run((tx) => tx.calls.get('b'))).toBeNull();
      await start('a');
      await settle('a', 'done');
      await want(aCall('c', { naturalKey: 'card' }));
      expect(await next()).toBeNull();
    });

    test('only a wanted call can be started, so none is made twice', async () => {
      await want(aCall('a'));
      await start('a');
      await expect(start('a')).rejects.toThrow('not pending');
      await settle('a', 'done');
      await expect(start('a')).rejects.toThrow('not pending');
      await expect(settle('a', 'retry')).rejects.toThrow('done already');
      await expect(start('nobody')).rejects.toThrow('not pending');
    });

    test('a lane that waits for its retry is not hurried by a new call', async () => {
      await opened.schedule('post_to_slack', LANE, NOW_MS + 60_000);
      await want(aCall('a'));
      expect(await opened.run((tx) => tx.tasks.nextDueAtMs(['post_to_slack']))).toBe(NOW_MS + 60_000);
    });

    describe('the messages that calls have posted', () => {
      const notice = (id: string, channelId: string, fields: Partial<NewCall> = {}) =>
        aCall(id, {
          lane: { to: 'slack', name: `notice:job-1:${channelId}` },
          request: { kind: 'notify_channel', channelId, url: `https://example.com/${id}` },
          ...fields,
        });
      const made = async (id: string, state: 'done' | 'failed', detail: string) => {
        await start(id);
        await opened.run((tx) => tx.calls.recordOutcome(id, { state, detail }, NOW_MS));
      };

      test('are found by their kind, in their order, as far as they are there', async () => {
        await want(notice('b', 'C8'), aCall('card'), notice('a', 'C9'), notice('c', 'C9'), notice('d', 'C9'));
        await made('b', 'done', '1.000200');
        await made('card', 'done', '1.000100');
        await made('a', 'done', '1.000300');
        await made('c', 'failed', 'is_archived');
        const posted = await opened.run((tx) => tx.calls.posted('job-1', 'notify_channel'));
        expect(posted.map(({ id, lane, ts, request: { url } }) => [id, lane, ts, url])).toEqual([
          ['b', 'notice:job-1:C8', '1.000200', 'https://example.com/b'],
          ['a', 'notice:job-1:C9', '1.000300', 'https://example.com/a'],
        ]);
        expect(await opened.run((tx) => tx.calls.posted('job-2', 'notify_channel'))).toEqual([]);
      });

      test('are edited channel by channel: one that hangs holds up no other', async () => {
        await want(notice('a', 'C8'), notice('b', 'C8'), notice('c', 'C9'), notice('d', 'C7'));
        for (const id of ['a', 'b', 'c']) await made(id, 'done', '1.000100');
        const notices = { runAtMs: NOW_MS + 10, ifScheduled: 'keep' } as const;
        await opened.write({ notices });
        const tasks = await opened.claim(['refresh_notice'], NOW_MS + 10);
        expect(tasks.map(({ subject, group }) => [subject, group]).sort()).toEqual([
          ['notice:job-1:C8', 'T1/C8/'],
          ['notice:job-1:C9', 'T1/C9/'],
        ]);
      });
    });

    test('the hourly budget counts the create and message calls of the project, oldest first', async () => {
      const message = { kind: 'send_message', agentJobId: 'agent-1', prompt: 'And more' } as const;
      await want(aCreateCall('a'), aCreateCall('b'), aCreateCall('c', { request: message }), aCall('post'));
      await start('c', NOW_MS - 10);
      await start('a', NOW_MS);
      await start('post', NOW_MS);
      const other = aJob({ id: 'job-2', channelId: 'C2', projectId: 'api' });
      await opened.write({ job: other, calls: [aCreateCall('d')] });
      await start('d', NOW_MS - 5);
      expect(await budget()).toEqual([NOW_MS - 10, NOW_MS]);
      expect(await budget('api')).toEqual([NOW_MS - 5]);
      expect(await budget('nobody')).toEqual([]);
    });
  });

  describe('the queue for an hourly budget', () => {
    const opened = useStore(open);
    const lane = (id: string) => ({ to: 'agent', name: `agent:${id}` }) as const;
    const want = (id: string, callId: string, projectId = 'docs') => {
      const job = aJob({ id, projectId, threadTs: `${id}.000100` });
      const calls = [aCreateCall(callId, { lane: lane(id) }), aCall(`post-${callId}`)];
      return opened.write({ job, calls });
    };
    const waiting = async (projectId = 'docs') =>
      (await opened.run((tx) => tx.budgetQueue.waiting(projectId))).map(
        ({ jobId, kind }) => `${kind} ${jobId}`,
      );

    test('is first come, first served, per project, and a job can leave it', async () => {
      await want('b', 'call-1');
      await want('a', 'call-2');
      await want('c', 'call-3', 'site');
      expect(await waiting()).toEqual(['create_job b', 'create_job a']);
      expect(await waiting('site')).toEqual(['create_job c']);
      await opened.run((tx) => tx.budgetQueue.leave('call-1'));
      expect(await waiting()).toEqual(['create_job a']);
      await opened.run((tx) => tx.budgetQueue.join('call-1'));
      expect(await waiting()).toEqual(['create_job b', 'create_job a']);
    });

    test('knows which jobs nobody asked for', async () => {
      const start = (id: string, requesterId: string | null, fields: Partial<Job> = {}) => {
        const job = aJob({ id, requesterId, threadTs: `${id}.000100`, ...fields });
        const calls = [aCreateCall(`call-${id}`, { lane: lane(id) })];
        return opened.write({ job, calls });
      };
      await start('recipe', null);
      await start('alice', 'U1');
      expect(await opened.run((tx) => tx.budgetQueue.waiting('docs'))).toEqual([
        { jobId: 'recipe', kind: 'create_job', isUnattended: true, passedUntilMs: null },
        { jobId: 'alice', kind: 'create_job', isUnattended: false, passedUntilMs: null },
      ]);
      await start('draft', null, { isStartedByPerson: true });
      const rest = (await opened.run((tx) => tx.budgetQueue.waiting('docs'))).slice(2);
      expect(rest.map(({ isUnattended }) => isUnattended)).toEqual([false]);
    });

    test('keeps the place of replies while they wait for another call, and not when they were withdrawn', async () => {
      const request = { kind: 'send_message', agentJobId: 'agent-1', prompt: 'Shorter' } as const;
      const message = (callId: string) => aCall(callId, { lane: lane('job-1'), request });
      const write = (state: 'waiting' | 'excluded', ...callIds: string[]) =>
        opened.write({
          job: aJob({ agentJob: anAgentJob() }),
          followUps: [aFollowUp({ state })],
          calls: callIds.map(message),
        });
      await write('waiting', 'call-1');
      await want('b', 'call-2');
      await opened.run((tx) => tx.calls.recordOutcome('call-1', { state: 'not_made', detail: null }, NOW_MS));
      expect(await waiting()).toEqual(['send_message job-1', 'create_job b']);
      await write('waiting', 'call-3');
      expect(await waiting()).toEqual(['send_message job-1', 'create_job b']);
      await opened.run((tx) => tx.calls.recordOutcome('call-3', { state: 'not_made', detail: null }, NOW_MS));
      await write('excluded');
      expect(await waiting()).toEqual(['create_job b']);
    });

    test('leaves out a call under way, which has its place again if it is refused', async () => {
      await want('b', 'call-1');
      await want('a', 'call-2');
      await opened.run((tx) => tx.calls.start('call-1', NOW_MS));
      expect(await waiting()).toEqual(['create_job a']);
      const isUnderWay = (sinceMs: number) =>
        opened.run((tx) => tx.calls.isAgentCallUnderWay('docs', sinceMs));
      expect([await isUnderWay(NOW_MS - 1), await isUnderWay(NOW_MS)]).toEqual([true, false]);
      await opened.run((tx) => tx.calls.recordOutcome('call-1', { state: 'retry', detail: null }, NOW_MS));
      expect(await waiting()).toEqual(['create_job b', 'create_job a']);
      expect(await isUnderWay(0)).toBe(false);
    });

    test('keeps the pause of each project, and says which have one', async () => {
      const pause = { atMs: NOW_MS, untilMs: NOW_MS + 60_000, refusals: 2 };
      const change = (projectId: string, after: typeof pause | null) =>
        opened.run((tx) => tx.budgetQueue.changePause(projectId, () => after, NOW_MS));
      const pauseAt = (nowMs: number, projectId = 'docs') =>
        opened.run((tx) => tx.budgetQueue.lockPause(projectId, nowMs));
      const paused = (nowMs: number) => opened.run((tx) => tx.budgetQueue.paused(nowMs));
      await change('docs', { ...pause, refusals: 1 });
      await change('docs', pause);
      await change('site', { ...pause, untilMs: NOW_MS + 1_000 });
      expect([await pauseAt(NOW_MS), await pauseAt(NOW_MS, 'nowhere')]).toEqual([pause, null]);
      // The next goes out alone until it is taken.
      expect(await pauseAt(NOW_MS + 60_000)).toEqual(pause);
      const docs = { projectId: 'docs', atMs: NOW_MS, untilMs: NOW_MS + 60_000 };
      expect(await paused(NOW_MS + 1_000)).toEqual([docs]);
      expect(await paused(NOW_MS + 60_000)).toEqual([]);
      // The clock was set back since.
      expect([await pauseAt(NOW_MS - 600_000), await paused(NOW_MS - 600_000)]).toEqual([null, []]);
      await change('docs', null);
      expect(await pauseAt(NOW_MS)).toBeNull();
    });
  });

  describe('checks of many jobs', () => {
    const LATER_MS = NOW_MS + 60_000;

    function fail(): never {
      throw new Error('a task is due');
    }

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
  });
}
