import { describe, expect, test } from 'vitest';
import { type OpenStore, useStore } from './opened.ts';
import { aCall, aJob, NOW_MS } from './samples.ts';

const HOUR_MS = 3_600_000;
const thread = { teamId: 'T1', channelId: 'C1', threadTs: '1700000000.000100' };

const attachments = { snippets: [{ name: 'notes.txt', url: 'https://files.slack.com/n' }], others: [] };

function aReply(messageTs: string, text: string, editedTs: string | null = null) {
  return { messageTs, userId: 'U1', text, editedTs, mentionsBot: text === 'First', attachments };
}

export function earlyReplyContract(open: OpenStore): void {
  describe('early replies', () => {
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

    test('each is known by its thread and its time, until it is taken', async () => {
      const has = (ts: string) => opened.run((tx) => tx.earlyReplies.has(thread, ts));
      await put(aReply('1700000001.000100', 'First'));
      expect([await has('1700000001.000100'), await has('1700000002.000100')]).toEqual([true, false]);
      await take();
      expect(await has('1700000001.000100')).toBe(false);
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

    test('what is old is kept while a card of the channel is under way', async () => {
      const job = aJob({ teamId: 'T1', channelId: 'C1', threadTs: null, stage: { kind: 'opening' } });
      await opened.write({ job });
      await put(aReply('1700000001.000100', 'Early'));
      await prune(NOW_MS + 2 * HOUR_MS);
      await put(aReply('1700000002.000100', 'Later'), NOW_MS + 2 * HOUR_MS);
      expect(await take()).toMatchObject([{ text: 'Early' }, { text: 'Later' }]);
    });
  });
}
