import { describe, expect, test } from 'vitest';
import type { LiveThreads } from '../../../src/store/queries/catch-ups.ts';
import type { Transaction } from '../../../src/store/store.ts';
import { type OpenStore, useStore } from './opened.ts';
import { aFollowUp, aJob, NOW_MS } from './samples.ts';

const ended = { kind: 'ended', status: 'completed', sinceMs: 0 } as const;
const MINUTE_MS = 60_000;

export function catchUpContract(open: OpenStore): void {
  describe('threads that are to be read for missed replies', () => {
    const opened = useStore(open);
    let threads = 0;
    const write = (fields: Parameters<typeof aJob>[0]) => {
      threads += 1;
      const job = aJob({ teamId: 'T1', threadTs: `17.${threads}`, ...fields });
      return opened.write({ job });
    };
    const live = (more: Partial<LiveThreads> = {}) =>
      opened.run((tx) => {
        const all = { teamId: null, sinceMs: 200, limit: 10, nowMs: NOW_MS, fromMs: NOW_MS, isSweep: false };
        return tx.catchUps.requestLive({ ...all, ...more });
      });
    const want = (id: string, teamId = 'T1') =>
      opened.run((tx) => tx.catchUps.request({ id, teamId }, NOW_MS));
    const next = (nowMs = NOW_MS + MINUTE_MS, teamId = 'T1') =>
      opened.run((tx) => tx.catchUps.next(teamId, nowMs));
    const read = async (cursor: string | null, seenTs = '18.1') => {
      const thread = await next();
      if (thread === null) throw new Error('nothing is to be read');
      const page = { seenTs, oldestTs: '17.1', cursor, oldReplies: 2, sweepFromMs: NOW_MS + 2 * MINUTE_MS };
      await opened.run((tx) => tx.catchUps.pageRead(thread, page, NOW_MS));
      return thread.jobId;
    };
    const readAll = async () => {
      const order = [];
      while ((await next()) !== null) order.push(await read(null));
      return order;
    };
    const writeSome = async () => {
      await write({ id: 'old', requestedAtMs: 100, stage: ended });
      await write({ id: 'old-working', requestedAtMs: 100, stage: { kind: 'creating' } });
      await write({ id: 'recent', requestedAtMs: 300, stage: ended });
      await write({ id: 'newest', requestedAtMs: 400 });
      await write({ id: 'no-thread', threadTs: null, requestedAtMs: 500 });
      await write({ id: 'elsewhere', teamId: 'T2', requestedAtMs: 600 });
    };

    test('are those of jobs that go on, the newest first, and then the recent ones', async () => {
      await writeSome();
      expect(await live()).toEqual(new Map([...[['T1', 3] as const], ['T2', 1]]));
      expect(await readAll()).toEqual(['newest', 'old-working', 'recent']);
      expect(await next(undefined, 'T2')).toMatchObject({ jobId: 'elsewhere' });
    });

    test('of each workspace there are so many, however many another has', async () => {
      await writeSome();
      expect(await live({ limit: 1 })).toEqual(new Map([...[['T1', 1] as const], ['T2', 1]]));
      expect(await live({ teamId: 'T2' })).toEqual(new Map([['T2', 1]]));
    });

    test('replies that wait for a thread go out once it is read, or given up; those whose window is not over wait on', async () => {
      const due = async (nowMs: number) =>
        (await opened.claim(['send_follow_ups'], nowMs, { leaseNowMs: NOW_MS })).sort((a, b) =>
          a.subject < b.subject ? -1 : 1,
        );
      for (const id of ['given-up', 'in-its-window', 'read']) {
        await write({ id });
        await opened.schedule('send_follow_ups', id, NOW_MS + MINUTE_MS);
        await want(id);
      }
      for (const { subject, lease } of await due(NOW_MS + MINUTE_MS)) {
        const wait = (tx: Transaction) => tx.tasks.retryAt(lease, NOW_MS + 2 * MINUTE_MS);
        await opened.run((tx) => (subject === 'in-its-window' ? tx.tasks.release([lease]) : wait(tx)));
      }
      await opened.run((tx) => tx.catchUps.giveUp('given-up', NOW_MS, NOW_MS));
      expect(await due(NOW_MS)).toMatchObject([{ subject: 'given-up' }]);
      expect(await readAll()).toEqual(['in-its-window', 'read']);
      expect(await due(NOW_MS)).toMatchObject([{ subject: 'read' }]);
    });

    test('one task of the workspace reads them, and is there at once when one of them is wanted at once', async () => {
      await writeSome();
      await live({ fromMs: NOW_MS + MINUTE_MS });
      const due = (nowMs: number) => opened.claim(['catch_up'], nowMs);
      expect(await due(NOW_MS)).toEqual([]);
      await want('recent');
      expect(await due(NOW_MS)).toMatchObject([{ kind: 'catch_up', subject: 'T1' }]);
    });

    test('what was requested first is read first, what is needed at once before that, and a sweep last', async () => {
      await write({ id: 'first', requestedAtMs: 300 });
      await live();
      await write({ id: 'second', requestedAtMs: 400 });
      await live({ nowMs: NOW_MS + 1_000, fromMs: NOW_MS + 1_000 });
      await write({ id: 'swept', requestedAtMs: 500 });
      await live({ isSweep: true });
      await write({ id: 'urgent', requestedAtMs: 250 });
      await want('urgent');
      expect(await readAll()).toEqual(['urgent', 'first', 'second', 'swept']);
    });

    test('replies that wait for a thread bring it to the front, unless nothing shows that any were missed', async () => {
      const hurry = (id: string) => opened.run((tx) => tx.catchUps.readFirst(id));
      await writeSome();
      await live();
      expect(await hurry('recent')).toBe(true);
      expect(await readAll()).toEqual(['recent', 'newest', 'old-working']);
      expect(await hurry('recent')).toBe(false);
      await live({ isSweep: true, nowMs: NOW_MS + 5 * MINUTE_MS });
      expect(await hurry('recent')).toBe(false);
    });

    test('a page is gone on from, and a thread is read again only if that was requested while it was read', async () => {
      await write({ id: 'one', requestedAtMs: 300 });
      await want('one');
      expect(await next()).toMatchObject({ seenTs: null, oldestTs: null, cursor: null, oldReplies: 0 });
      await read('page-2');
      const second = await next();
      expect(second).toMatchObject({ seenTs: '18.1', oldestTs: '17.1', cursor: 'page-2', oldReplies: 2 });
      await live();
      if (second === null) throw new Error('no second page');
      const page = { seenTs: '18.2', oldestTs: '17.1', cursor: null, oldReplies: 2, sweepFromMs: NOW_MS };
      await opened.run((tx) => tx.catchUps.pageRead(second, page, NOW_MS));
      const again = { seenTs: '18.2', oldestTs: null, cursor: null, oldReplies: 0 };
      expect(await next()).toMatchObject(again);
      await read(null, '18.3');
      expect(await next()).toBeNull();
      await want('one');
      expect(await next()).toMatchObject({ seenTs: '18.3', oldestTs: null });
    });

    test('it begins again, after the others, without a cursor that Slack does not know any more', async () => {
      await write({ id: 'one', requestedAtMs: 300 });
      await want('one');
      await read('page-2');
      await write({ id: 'other', requestedAtMs: 200 });
      await live({ sinceMs: 100 });
      await opened.run((tx) => tx.catchUps.dropCursor('one', NOW_MS + MINUTE_MS));
      expect(await read(null)).toBe('other');
      expect(await next()).toMatchObject({ jobId: 'one', seenTs: '18.1', oldestTs: null, cursor: null });
    });

    test('one that cannot be read waits, and the others go on', async () => {
      await writeSome();
      await live();
      await opened.run((tx) => tx.catchUps.retryAt('newest', NOW_MS + 2 * MINUTE_MS));
      expect(await readAll()).toEqual(['old-working', 'recent']);
      expect(await opened.run((tx) => tx.catchUps.nextAtMs('T1'))).toBe(NOW_MS + 2 * MINUTE_MS);
      expect(await next(NOW_MS + 2 * MINUTE_MS)).toMatchObject({ jobId: 'newest', failures: 1 });
      expect(await opened.run((tx) => tx.catchUps.readFirst('newest'))).toBe(true);
    });

    test('threads read recently, and unreadable ones, are not swept', async () => {
      const sweepAt = (nowMs: number) => live({ isSweep: true, nowMs });
      await writeSome();
      expect(await sweepAt(NOW_MS)).toEqual(new Map([...[['T1', 3] as const], ['T2', 1]]));
      expect(await sweepAt(NOW_MS)).toEqual(new Map());
      await read(null);
      await opened.run((tx) => tx.catchUps.giveUp('recent', NOW_MS + 9 * MINUTE_MS, NOW_MS));
      await opened.run((tx) => tx.catchUps.drop('old-working'));
      expect(await sweepAt(NOW_MS + MINUTE_MS)).toEqual(new Map([['T1', 1]]));
      expect(await sweepAt(NOW_MS + 3 * MINUTE_MS)).toEqual(new Map([['T1', 1]]));
      expect(await sweepAt(NOW_MS + 9 * MINUTE_MS)).toEqual(new Map([['T1', 1]]));
    });

    test('what must not be read yet waits, and what was requested sooner keeps its time', async () => {
      await write({ id: 'one', requestedAtMs: 300 });
      await live({ fromMs: NOW_MS + MINUTE_MS });
      await live({ fromMs: NOW_MS + 2 * MINUTE_MS });
      expect(await next(NOW_MS + MINUTE_MS - 1)).toBeNull();
      expect(await next(NOW_MS + MINUTE_MS)).toMatchObject({ jobId: 'one' });
    });

    test('includes the oldest waiting reply', async () => {
      await write({ id: 'one', requestedAtMs: 300 });
      const replies = [
        aFollowUp({ id: '1', jobId: 'one', messageTs: '17.4', state: 'sent' }),
        aFollowUp({ id: '2', jobId: 'one', messageTs: '17.5' }),
        aFollowUp({ id: '3', jobId: 'one', messageTs: '17.6' }),
      ];
      const job = aJob({ id: 'one', teamId: 'T1', threadTs: '17.1' });
      await opened.write({ job, followUps: replies, mayHaveReplies: true });
      expect(await next(NOW_MS)).toMatchObject({ jobId: 'one', unsentTs: '17.5', job: { id: 'one' } });
    });

    test('what was seen is forgotten with the job', async () => {
      await write({ id: 'one', requestedAtMs: 300, stage: ended });
      await want('one');
      const pruned = await opened.run((tx) => tx.retention.pruneJobs(400, 10, NOW_MS));
      expect(pruned).toBe(1);
      expect(await next()).toBeNull();
    });
  });
}
