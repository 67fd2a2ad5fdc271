import { describe, expect, test } from 'vitest';
import type { NewCall } from '../../../src/jobs/call.ts';
import { type OpenStore, useStore } from './opened.ts';
import { aCall, aCreateCall, aJob, NOW_MS } from './samples.ts';

const LANE = 'thread:job-1';
const HOUR_MS = 3_600_000;

export function callContract(open: OpenStore): void {
  describe('the ledger of calls', () => {
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

    test('the budget is not passed by calls that are started at the same time', async () => {
      const ids = Array.from({ length: 8 }, (_, index) => `call-${index}`);
      await want(...ids.map((id) => aCreateCall(id, { lane: { to: 'agent', name: `agent:${id}` } })));
      const startInBudget = (id: string) =>
        opened.run(async (tx) => {
          const started = await tx.calls.agentCallsStartedAt('docs', NOW_MS - HOUR_MS, NOW_MS);
          if (started.length < 3) await tx.calls.start(id, NOW_MS);
        });
      await Promise.all(ids.map(startInBudget));
      expect(await budget()).toHaveLength(3);
    });

    test('a call that a clock that was ahead has started uses up no budget until then', async () => {
      await want(aCreateCall('a'), aCreateCall('b'));
      await start('a', NOW_MS + 24 * HOUR_MS);
      await start('b', NOW_MS + 20_000);
      expect(await budget()).toEqual([NOW_MS + 20_000]);
    });

    test('since when Slack holds a call up is kept while it is tried again', async () => {
      await want(aCall('a'));
      expect((await next())?.heldSinceMs).toBeNull();
      await opened.run((tx) => tx.calls.holdSince('a', NOW_MS + 1));
      await opened.run((tx) => tx.calls.start('a', NOW_MS + 2));
      await opened.run((tx) => tx.calls.recordOutcome('a', { state: 'retry', detail: null }, NOW_MS + 3));
      await opened.run((tx) => tx.calls.holdSince('a', NOW_MS + 4));
      expect((await next())?.heldSinceMs).toBe(NOW_MS + 1);
      await opened.run((tx) => tx.calls.holdSince('a', null));
      expect((await next())?.heldSinceMs).toBeNull();
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

    test('what a call says to a service that knows repeated ones is kept until its outcome', async () => {
      await want(aCall('a'));
      await opened.run((tx) => tx.calls.start('a', NOW_MS, 'Add a quickstart'));
      expect(await next()).toMatchObject({ state: 'started', sent: 'Add a quickstart' });
      await opened.run((tx) => tx.calls.recordOutcome('a', { state: 'retry', detail: null }, NOW_MS));
      expect(await next()).toMatchObject({ state: 'pending', sent: null });
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

    test('a natural key may be longer than an index takes', async () => {
      // Random, or else Postgres would compress it.
      const random = Array.from({ length: 20_000 }, (_, index) => ((index * 7919) ** 2).toString(36)).join(
        '',
      );
      await want(aCall('a', { naturalKey: `${random}1` }), aCall('b', { naturalKey: `${random}2` }));
      await want(aCall('c', { naturalKey: `${random}1` }));
      expect(await opened.run((tx) => tx.calls.get('b'))).not.toBeNull();
      expect(await opened.run((tx) => tx.calls.get('c'))).toBeNull();
    });

    test('a failed post may become wanted again', async () => {
      await want(aCall('a'));
      await start('a');
      await settle('a', 'failed');
      expect(await next()).toBeNull();
      await settle('a', 'retry');
      expect((await next())?.id).toBe('a');
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
      const lane = { kind: 'post_to_slack', subject: LANE, runAtMs: NOW_MS + 60_000 } as const;
      await opened.run((tx) => tx.tasks.schedule({ ...lane, ifScheduled: 'keep' }));
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
}
