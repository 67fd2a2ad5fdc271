import { beforeEach, expect, test } from 'vitest';
import { Reports } from '../../src/features/reports/queries.ts';
import { NOW_MS } from '../contract/store/samples.ts';
import { describeOnDatabases } from '../support/databases.ts';
import { forgetfulStore } from './support/forgetful-store.ts';

const press = {
  ...{ atMs: NOW_MS, teamId: 'T1', action: 'press' as const, source: 'start_again' },
  ...{ jobId: null, outcome: 'accepted' },
};
const thread = { teamId: 'T1', channelId: 'C1', threadTs: '1700000000.000100' };

const aReply = (second: number, userId: string, text: string, snippet: string[] = []) => ({
  messageTs: `170000000${second}.000100`,
  userId,
  text,
  editedTs: null,
  mentionsBot: false,
  attachments: { snippets: snippet.map((name) => ({ name, url: null })), others: [] },
});
const sendsTo = (...noticeChannels: string[]) => ({ noticeChannels, followUpMode: 'mentions' as const });

describeOnDatabases('settings, Home tabs, the audit and replies that wait', (make) => {
  const { run, erase } = forgetfulStore(make);
  beforeEach(() =>
    run(async (tx) => {
      await tx.channelSettings.replace('T1', 'C1', sendsTo('C1', 'C2'));
      await tx.channelSettings.replace('T1', 'C2', sendsTo('C1', 'C12', 'C3'));
      await tx.homes.opened('T1', 'U1', NOW_MS);
      await tx.homes.opened('T2', 'U1', NOW_MS);
      for (const [id, userId] of Object.entries({ a: 'U1', b: 'U2' }))
        await tx.audit.record({ ...press, userId }, id);
    }),
  );
  const settings = (channelId: string) => run((tx) => tx.channelSettings.get('T1', channelId));

  test('a Home tab goes with its person, in one workspace if that alone is meant', async () => {
    expect(await erase('user', 'U1', 'T2')).toMatchObject({ holdings: { rows: 1 } });
    expect(await erase('user', 'U1')).toMatchObject({ holdings: { rows: 2 } });
    expect(await erase('user', 'U1')).toMatchObject({ holdings: { rows: 0 } });
  });

  test('a line of the audit goes with its person', async () => {
    await erase('user', 'U1', 'T1');
    const period = { sinceMs: 0, untilMs: NOW_MS + 1 };
    const rows = await run((tx) => tx.queries(Reports).recorded(period));
    expect(rows).toEqual([{ ...press, userId: 'U2' }]);
  });

  test('settings of a channel are deleted, and those of others send it no notices', async () => {
    expect(await erase('channel', 'C1')).toMatchObject({ holdings: { rows: 2 } });
    expect(await settings('C1')).toBeNull();
    expect(await settings('C2')).toEqual(sendsTo('C12', 'C3'));
  });

  test('replies of the person that wait for a card are deleted; those of others go along, without the name', async () => {
    await run(async (tx) => {
      await tx.earlyReplies.put(thread, aReply(1, 'U1', 'From the one who is forgotten'), NOW_MS);
      await tx.earlyReplies.put(thread, aReply(2, 'U2', 'As <@U1> says', ['notes of U1.txt']), NOW_MS);
      await tx.earlyReplies.put(thread, aReply(3, 'U2', 'As <@U12> says'), NOW_MS);
    });
    expect(await erase('user', 'U1')).toMatchObject({ holdings: { rows: 4, mentions: 1 } });
    const taken = await run((tx) => tx.earlyReplies.take(thread));
    expect(taken[0]?.attachments.snippets).toEqual([{ name: 'notes of forgotten.txt', url: null }]);
    expect(taken.map(({ text }) => text)).toEqual(['As (forgotten) says', 'As <@U12> says']);
  });
});
