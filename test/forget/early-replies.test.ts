import { afterEach, beforeEach, expect, test } from 'vitest';
import { forget } from '../../src/store/forget.ts';
import { openStore, type StoreLocation } from '../../src/store/open.ts';
import { describeOnDatabases } from '../support/databases.ts';

const NOW_MS = 1_700_000_000_000;
const thread = { teamId: 'T1', channelId: 'C1', threadTs: '1700000000.000100' };
const subject = { kind: 'user', id: 'U1', teamId: null } as const;

const aReply = (second: number, userId: string, text: string, snippet: string[] = []) => ({
  messageTs: `170000000${second}.000100`,
  userId,
  text,
  editedTs: null,
  mentionsBot: false,
  attachments: { snippets: snippet.map((name) => ({ name, url: null })), others: [] },
});

describeOnDatabases('to forget a person', (make) => {
  let location: StoreLocation;
  let remove: () => Promise<void>;
  beforeEach(async () => {
    ({ location, remove } = await make());
  });
  afterEach(() => remove());

  test('deletes the replies of the person that wait for a card; those of others go along, without the name', async () => {
    const replies = [
      aReply(1, 'U1', 'From the one who is forgotten'),
      aReply(2, 'U2', 'As <@U1> says', ['notes of U1.txt']),
      aReply(3, 'U2', 'As <@U12> says'),
    ];
    const before = await openStore(location);
    for (const reply of replies) {
      await before.transaction((tx) => tx.earlyReplies.put(thread, reply, NOW_MS));
    }
    await before.close();

    const { holdings } = await forget(location, subject, { dry: false, nowMs: NOW_MS });
    expect(holdings).toMatchObject({ rows: 1, mentions: 1 });

    const after = await openStore(location);
    const taken = await after.transaction((tx) => tx.earlyReplies.take(thread));
    await after.close();
    expect(taken[0]?.attachments.snippets).toEqual([{ name: 'notes of forgotten.txt', url: null }]);
    expect(taken.map(({ text }) => text)).toEqual(['As (forgotten) says', 'As <@U12> says']);
  });
});
