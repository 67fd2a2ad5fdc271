import { describe, expect, test } from 'vitest';
import type { ClaimedTask } from '../../../src/store/store.ts';
import { type OpenStore, useStore } from './opened.ts';
import { aCall, aDecision, aJob, NOW_MS } from './samples.ts';

const LEASE_MS = 1_000;
const ONE = 'thread:job-1';
const TWO = 'thread:job-2';

export function postContract(open: OpenStore): void {
  describe('posts of many lanes', () => {
    const opened = useStore(open);
    /** Wants a post in the lane of the job with this number. */
    const want = (id: string, number: 1 | 2) => {
      const job = aJob({ id: `job-${number}`, threadTs: null, channelId: `C${number}` });
      const lane = { to: 'slack', name: `thread:${job.id}` } as const;
      return opened.run((tx) => tx.write(aDecision({ job, calls: [aCall(id, { lane })] }), NOW_MS));
    };
    const claim = (nowMs = NOW_MS) =>
      opened.run((tx) =>
        tx.tasks.claim({
          kinds: ['post_to_slack'],
          nowMs,
          leaseNowMs: nowMs,
          leaseUntilMs: nowMs + LEASE_MS,
          inHand: [],
          limit: 10,
        }),
      );
    const next = async (...lanes: string[]) => {
      const found = await opened.run((tx) => tx.posts.next(lanes));
      return Object.fromEntries([...found].map(([lane, { call }]) => [lane, call.id]));
    };
    const start = (...ids: string[]) => opened.run((tx) => tx.posts.start(ids, NOW_MS + 1));
    const done = (...callIds: string[]) => {
      const posts = callIds.map((callId) => ({ callId, state: 'done', detail: `ts of ${callId}` }) as const);
      return opened.run((tx) => tx.posts.settle(posts, NOW_MS + 2));
    };
    const jobOf = (id: string) => opened.run((tx) => tx.jobs.get(id));
    const call = (id: string) => opened.run((tx) => tx.calls.get(id));
    const fence = (tasks: readonly ClaimedTask[]) =>
      opened.run((tx) => tx.posts.fence(tasks.map(({ lease }) => lease)));
    const end = (tasks: readonly ClaimedTask[]) =>
      opened.run((tx) => tx.posts.endLanes(tasks.map(({ lease }) => lease)));

    test('the first post of each lane is next, until it has its outcome', async () => {
      for (const id of ['a', 'b', 'c']) await want(id, id === 'b' ? 2 : 1);
      expect(await next(ONE, TWO, 'thread:job-3')).toEqual({ [ONE]: 'a', [TWO]: 'b' });
      expect(await start('a', 'b')).toEqual(new Set(['a', 'b']));
      expect(await next(ONE, TWO)).toEqual({ [ONE]: 'a', [TWO]: 'b' });
      expect(await done('a', 'b')).toEqual(new Set(['a', 'b']));
      expect(await next(ONE, TWO)).toEqual({ [ONE]: 'c' });
      expect(await next()).toEqual({});
    });

    test('a post comes with its job, and with what was saved for its channel', async () => {
      const settings = { followUpMode: 'mentions' } as const;
      await want('a', 1);
      await want('b', 2);
      const saved = { settings, changedBy: 'U1', changedAtMs: NOW_MS };
      await opened.run((tx) => tx.channelSettings.replace('T1', 'C2', saved));
      const found = await opened.run((tx) => tx.posts.next([ONE, TWO]));
      expect(found.get(ONE)).toEqual({ call: await call('a'), job: await jobOf('job-1'), saved: null });
      expect(found.get(TWO)).toEqual({ call: await call('b'), job: await jobOf('job-2'), saved: settings });
    });

    test('starts and outcomes are written with their times, each call with its own', async () => {
      await want('a', 1);
      await want('b', 2);
      await start('a', 'b');
      const posts = [
        { callId: 'a', state: 'done', detail: '17.1' },
        { callId: 'b', state: 'failed', detail: null },
      ] as const;
      await opened.run((tx) => tx.posts.settle(posts, NOW_MS + 2));
      expect(await call('a')).toMatchObject({ state: 'done', startedAtMs: NOW_MS + 1 });
      expect(await call('b')).toMatchObject({ state: 'failed', startedAtMs: NOW_MS + 1 });
    });

    test('what is not wanted is not started, and what is done is not settled again', async () => {
      for (const id of ['a', 'b', 'c']) await want(id, 1);
      await start('a', 'b');
      expect(await start('a', 'c', 'nobody')).toEqual(new Set(['c']));
      await done('a');
      expect(await done('a', 'b', 'nobody')).toEqual(new Set(['b']));
      expect(await start()).toEqual(new Set());
      expect(await done()).toEqual(new Set());
    });

    test('of many leases, those that were lost do not hold', async () => {
      await want('a', 1);
      const lost = await claim();
      const taken = await claim(NOW_MS + LEASE_MS);
      await want('b', 2);
      const [other] = await claim();
      const all = [...lost, ...taken, ...(other === undefined ? [] : [other])];
      expect(await fence(all)).toEqual(new Set([...taken, other].map((task) => task?.lease)));
    });

    test('lanes at their end are ended, but not if they were scheduled again or are in other hands', async () => {
      await want('a', 1);
      const lost = await claim();
      const taken = await claim(NOW_MS + LEASE_MS);
      await want('b', 2);
      const other = await claim();
      await want('c', 2);
      expect(await end([...lost, ...other])).toEqual(new Set());
      expect(await end(taken)).toEqual(new Set([`post_to_slack:${ONE}`]));
      for (const { lease } of other) await opened.run((tx) => tx.tasks.complete(lease));
      expect((await claim(NOW_MS + 2 * LEASE_MS)).map(({ subject }) => subject)).toEqual([TWO]);
      expect(await end([])).toEqual(new Set());
    });
  });
}
