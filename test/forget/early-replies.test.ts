import { expect, test } from 'vitest';
import { NOW_MS } from '../contract/store/samples.ts';
import { describeOnDatabases } from '../support/databases.ts';
import { forgetfulStore } from './support/forgetful-store.ts';

const thread = { teamId: 'T1', channelId: 'C1', threadTs: '1700000000.000100' };

const aReply = (second: number, userId: string, text: string, snippet: string[] = []) => ({
  messageTs: `170000000${second}.000100`,
  userId,
  text,
  editedTs: null,
  mentionsBot: false,
  attachments: { snippets: snippet.map((name) => ({ name, url: null })), others: [] },
});

describeOnDatabases('to forget a person', (make) => {
  const { run, erase } = forgetfulStore(make);

  test('deletes the replies of the person that wait for a card; those of others go along, without the name', async () => {
    await run(async (tx) => {
      await tx.earlyReplies.put(thread, aReply(1, 'U1', 'From the one who is forgotten'), NOW_MS);
      await tx.earlyReplies.put(thread, aReply(2, 'U2', 'As <@U1> says', ['notes of U1.txt']), NOW_MS);
      await tx.earlyReplies.put(thread, aReply(3, 'U2', 'As <@U12> says'), NOW_MS);
    });
    expect(await erase('user', 'U1')).toMatchObject({ holdings: { rows: 1, mentions: 1 } });
    const taken = await run((tx) => tx.earlyReplies.take(thread));
    expect(taken[0]?.attachments.snippets).toEqual([{ name: 'notes of forgotten.txt', url: null }]);
    expect(taken.map(({ text }) => text)).toEqual(['As (forgotten) says', 'As <@U12> says']);
  });
});
