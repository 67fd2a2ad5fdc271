import { describe, expect, test } from 'vitest';
import type { Receipt } from '../../../src/jobs/follow-ups/follow-up.ts';
import type { LiveThreads } from '../../../src/store/queries/catch-ups.ts';
import type { Transaction } from '../../../src/store/store.ts';
import { type OpenStore, useStore } from './opened.ts';
import { aCall, aFollowUp, aJob, NOW_MS } from './samples.ts';

export function replyContract(open: OpenStore): void {
  describe('requests', () => {
    const opened = useStore(open);
    const remember = (...keys: string[]) => opened.run((tx) => tx.inboundRequests.remember(keys, NOW_MS));

    test('one known key is enough: a mention also arrives as a message', async () => {
      expect(await remember('event:1', 'message:C1:1')).toBe(true);
      expect(await remember('event:2', 'message:C1:1')).toBe(false);
      expect(await remember('event:1')).toBe(false);
    });

    test('a request is known by each of its keys, and by no other', async () => {
      await remember('event:1', 'message:C1:1');
      const isKnown = (...keys: string[]) => opened.run((tx) => tx.inboundRequests.isKnown(keys));
      expect(await isKnown('event:2', 'message:C1:1')).toBe(true);
      expect(await isKnown('event:2')).toBe(false);
      expect(await isKnown()).toBe(false);
    });

    test('of eight deliveries at the same time one is accepted, and none gets stuck on another', async () => {
      const keys = ['event:1', 'message:C1:1', 'client:1'];
      const orders = [keys, keys.toReversed()];
      let runs = 0;
      const deliver = (index: number) =>
        opened.run((tx) => {
          runs += 1;
          return tx.inboundRequests.remember([...(orders[index % 2] ?? []), `delivery:${index}`], NOW_MS);
        });
      const accepted = await Promise.all(Array.from({ length: 8 }, (_, index) => deliver(index)));
      expect(accepted.filter(Boolean)).toHaveLength(1);
      expect(runs).toBe(8);
    });
  });

  describe('early replies', () => {
    const HOUR_MS = 3_600_000;
    const thread = { teamId: 'T1', channelId: 'C1', threadTs: '1700000000.000100' };

    const attachments = { snippets: [{ name: 'notes.txt', url: 'https://files.slack.com/n' }], others: [] };

    function aReply(messageTs: string, text: string, editedTs: string | null = null) {
      return { messageTs, userId: 'U1', text, editedTs, mentionsBot: text === 'First', attachments };
    }

    const opened = useStore(open);
    const put = (reply: ReturnType<typeof aReply>, nowMs = NOW_MS, where = thread) =>
      opened.run((tx) => tx.earlyReplies.put(where, reply, nowMs));
    const take = () => opened.run((tx) => tx.earlyReplies.take(thread));
    const prune = (nowMs: number) => opened.run((tx) => tx.retention.pruneTraces(0, 10, nowMs));

    test('are taken once, in the order of Slack’s timestamps, and of this thread alone', async () => {
      const first = aReply('1700000001.000100', 'First');
      const second = aReply('1700000002.000100', 'Second');
      await put(second);
      await put(first);
      await put(aReply('1700000003.000100', 'Elsewhere'), NOW_MS, {
        ...thread,
        threadTs: '1700000009.000100',
      });
      expect(await take()).toEqual([first, second]);
      expect(await take()).toEqual([]);
    });

    test('the last edit counts, in any order of arrival', async () => {
      await put(aReply('1700000001.000100', 'Two', '1700000005.000000'));
      await put(aReply('1700000001.000100', 'One', '1700000004.000000'));
      await put(aReply('1700000001.000100', 'As written'));
      expect(await take()).toMatchObject([{ text: 'Two', editedTs: '1700000005.000000' }]);
    });

    test('one that was deleted is gone, whatever else is heard of it afterwards', async () => {
      const messageTs = '1700000001.000100';
      const withdraw = () => opened.run((tx) => tx.earlyReplies.withdraw(thread, messageTs, NOW_MS));
      await put(aReply(messageTs, 'Gone'));
      await withdraw();
      await put(aReply(messageTs, 'An edit before that', '1700000004.000000'));
      expect(await take()).toEqual([]);
      await withdraw();
      await put(aReply(messageTs, 'Gone'));
      expect(await take()).toEqual([]);
    });

    test('those that nobody asked for within an hour are forgotten', async () => {
      await put(aReply('1700000001.000100', 'Of a thread that is no job’s'));
      await put(aReply('1700000002.000100', 'Later'), NOW_MS + HOUR_MS + 1);
      await prune(NOW_MS + HOUR_MS + 1);
      expect(await take()).toMatchObject([{ text: 'Later' }]);
    });

    test('a channel has cards under way while their posts are out, since the first was asked for', async () => {
      const opening = { kind: 'opening' } as const;
      const since = () => opened.run((tx) => tx.jobs.lockOpening('T1', 'C1'));
      const write = (id: string, fields: Parameters<typeof aJob>[0]) => {
        const job = aJob({ teamId: 'T1', channelId: 'C1', threadTs: null, id, ...fields });
        const calls = [aCall(`card of ${id}`, { lane: { to: 'slack', name: `thread:${id}` } })];
        return opened.write({ job, calls });
      };
      const start = (id: string) => opened.run((tx) => tx.calls.start(`card of ${id}`, NOW_MS));
      await write('known', {});
      await start('known');
      await write('elsewhere', { channelId: 'C2', stage: opening, requestedAtMs: 1 });
      await start('elsewhere');
      await write('waiting', { stage: opening, requestedAtMs: 2 });
      expect(await since()).toBeNull();
      await write('second', { stage: opening, requestedAtMs: 30 });
      await write('first', { stage: opening, requestedAtMs: 20 });
      await start('second');
      await start('first');
      expect(await since()).toBe(20);
    });
  });

  describe('threads that are to be read for missed replies', () => {
    const ended = { kind: 'ended', status: 'completed', sinceMs: 0 } as const;
    const MINUTE_MS = 60_000;

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
  });

  describe('receipts', () => {
    const opened = useStore(open);
    const stale = (jobId = 'job-1') => opened.run((tx) => tx.followUps.withStaleReceipts(jobId));

    test('an attempted reaction is stale until confirmed, with all others that may be there', async () => {
      await opened.write({ followUps: [aFollowUp()] });
      const tried = (...receipts: Receipt[]) =>
        opened.run((tx) => tx.followUps.receiptsTried('follow-up-1', receipts));
      await tried('eyes');
      expect(await stale()).toMatchObject([{ placed: ['eyes'], desired: 'eyes' }]);
      await opened.run((tx) => tx.followUps.receiptShown('follow-up-1', 'eyes'));
      expect(await stale()).toEqual([]);
      await tried('eyes', 'warning');
      expect(await stale()).toMatchObject([{ placed: ['eyes', 'warning'], desired: 'eyes' }]);
    });

    test('the reaction at a reply of which nothing is sent is to be taken away', async () => {
      const files = aFollowUp({ state: 'excluded', text: '' });
      await opened.write({ followUps: [files] });
      expect(await stale()).toEqual([]);
      await opened.run((tx) => tx.followUps.receiptShown('follow-up-1', 'eyes'));
      expect(await stale()).toMatchObject([{ placed: ['eyes'], desired: null }]);
      await opened.run((tx) => tx.followUps.receiptShown('follow-up-1', null));
      expect(await stale()).toEqual([]);
    });
  });
}
