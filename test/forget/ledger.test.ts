import { afterEach, beforeEach, expect, test } from 'vitest';
import type { CallRequest } from '../../src/jobs/call.ts';
import type { FollowUp } from '../../src/jobs/follow-ups/follow-up.ts';
import { forget } from '../../src/store/forget.ts';
import { openDatabase, openStore, type StoreLocation } from '../../src/store/open.ts';
import { aCall, aDecision, aFollowUp, aJob, NOW_MS } from '../contract/store/samples.ts';
import { describeOnDatabases } from '../support/databases.ts';

const ended = { kind: 'ended', status: 'completed', sinceMs: 0 } as const;
const sent = (prompt: string) => ({ kind: 'send_message', agentJobId: 'agent-1', prompt }) as const;

describeOnDatabases('jobs of others', (make) => {
  let location: StoreLocation;
  let remove: () => Promise<void>;
  beforeEach(async () => {
    ({ location, remove } = await make());
  });
  afterEach(() => remove());

  /** A job of U2 that is over, with these replies and calls. */
  async function over(
    replies: readonly Partial<FollowUp>[],
    requests: readonly CallRequest[],
  ): Promise<void> {
    const job = aJob({ requesterId: 'U2', stage: ended });
    const followUps = replies.map((reply, index) =>
      aFollowUp({ id: `reply-${index}`, messageTs: `170000000${index}.000100`, state: 'sent', ...reply }),
    );
    const calls = requests.map((request, index) =>
      request.kind === 'notify_channel'
        ? aCall(`call-${index}`, {
            request,
            naturalKey: `notify:${request.channelId}:${request.url}`,
            lane: { to: 'slack', name: `channel:${request.channelId}` },
          })
        : aCall(`call-${index}`, { request }),
    );
    const store = await openStore(location);
    await store.transaction(async (tx) => {
      await tx.write(aDecision({ job, followUps, calls }), NOW_MS);
      for (const { id } of calls)
        await tx.calls.recordOutcome(id, { state: 'done', detail: 'by U1' }, NOW_MS);
    });
    await store.close();
    const { database } = await openDatabase(location);
    await database.queries.deleteFrom('task').execute();
    await database.close();
  }

  async function rows() {
    const { database } = await openDatabase(location);
    const { queries } = database;
    const calls = await queries
      .selectFrom('call')
      .select(['naturalKey', 'lane', 'request', 'detail'])
      .orderBy('id')
      .execute();
    const replies = await queries
      .selectFrom('followUp')
      .select(['userId', 'text', 'more'])
      .orderBy('id')
      .execute();
    await database.close();
    return {
      calls: calls.map(({ request }) => JSON.parse(request)),
      details: calls.map(({ detail }) => detail),
      places: calls.map(({ naturalKey, lane }) => [naturalKey, lane]),
      replies,
    };
  }
  async function pastNotices() {
    const { database } = await openDatabase(location);
    const places = await database.queries
      .selectFrom('pastNotice')
      .select(['teamId', 'channelId'])
      .orderBy('channelId')
      .execute();
    await database.close();
    return places;
  }
  async function pastThreads() {
    const { database } = await openDatabase(location);
    const threads = await database.queries.selectFrom('pastThread').select('channelId').execute();
    await database.close();
    return threads.map(({ channelId }) => channelId);
  }
  const erase = async (kind: 'user' | 'channel' = 'user', id = 'U1') =>
    (await forget(location, { kind, id, teamId: null }, { dry: false, nowMs: NOW_MS })).holdings;

  test('in which the person replied lose all words of follow-ups in their calls, and keep their first prompt', async () => {
    await over(
      [
        { userId: 'U1', text: 'Hers' },
        { userId: 'U2', text: 'His' },
      ],
      [
        { kind: 'create_job', prompt: 'Explain the webhooks' },
        sent('Hers\n\nHis'),
        sent('His alone'),
        { kind: 'announce', announcement: { kind: 'follow_up', userId: 'U1', text: 'Hers, in a form' } },
      ],
    );
    expect(await erase()).toMatchObject({ jobs: 0, replies: 1, calls: 3 });
    const { calls, details, replies } = await rows();
    expect(calls).toEqual([
      { kind: 'create_job', prompt: 'Explain the webhooks' },
      sent('(erased)'),
      sent('(erased)'),
      { kind: 'announce', announcement: { kind: 'follow_up', userId: 'forgotten', text: '(erased)' } },
    ]);
    expect(details).toEqual(details.map(() => 'by forgotten'));
    expect(replies.map(({ userId, text }) => [userId, text])).toEqual([
      ['forgotten', ''],
      ['U2', 'His'],
    ]);
  });

  test('in which the person replied with a picture lose its address, also where it went along with the request', async () => {
    const pictures = [{ name: 'her-desk.png', url: 'https://files.slack.com/her-desk.png' }];
    const created = { kind: 'create_job', prompt: 'Explain the webhooks' } as const;
    await over(
      [{ userId: 'U1', text: 'Hers', pictures }],
      [
        { ...created, pictures },
        { ...sent('Hers'), pictures },
      ],
    );
    await erase();
    const { calls, replies } = await rows();
    expect(calls).toEqual([created, sent('(erased)')]);
    expect(JSON.stringify(replies)).not.toContain('her-desk');
  });

  test('in which the person is only named keep all words but the name', async () => {
    await over(
      [{ userId: 'U2', text: 'As <@U1> says', corrected: 'As <@U1|Ann> said', state: 'not_sent' }],
      [sent('As <@U1> says'), { kind: 'create_job', prompt: 'Ask <@U1> or <@U12>' }],
    );
    expect(await erase()).toMatchObject({ jobs: 0, replies: 0, calls: 0, mentions: 3 });
    const { calls, replies } = await rows();
    expect(calls).toEqual([
      sent('As (forgotten) says'),
      { kind: 'create_job', prompt: 'Ask (forgotten) or <@U12>' },
    ]);
    expect(replies[0]?.text).toBe('As (forgotten) says');
    expect(replies[0]?.more).toContain('As (forgotten) said');
    expect(JSON.stringify(replies)).not.toContain('U1');
  });

  test('that sent notices to a channel do not name it any more, nor confuse it with another that is forgotten', async () => {
    const notice = (channelId: string) =>
      ({ kind: 'notify_channel', channelId, url: 'https://example.com/pull/1' }) as const;
    await over([], [notice('C8'), notice('C9')]);
    expect(await erase('channel', 'C8')).toMatchObject({ jobs: 0, mentions: 1 });
    expect(await erase('channel', 'C9')).toMatchObject({ jobs: 0, mentions: 1 });
    const { calls, places } = await rows();
    expect(calls).toEqual([notice('forgotten'), notice('forgotten')]);
    expect(places).toEqual([
      ['forgotten:call-0', 'channel:forgotten'],
      ['forgotten:call-1', 'channel:forgotten'],
    ]);
  });

  test('and were deleted leave of their notices to a channel nothing that names it', async () => {
    const notice = (channelId: string) =>
      ({ kind: 'notify_channel', channelId, url: 'https://example.com/pull/1' }) as const;
    await over([], [notice('C7'), notice('C8'), notice('C9')]);
    await erase('channel', 'C7');
    await erase('user', 'U2');
    expect(await pastNotices()).toEqual([
      { teamId: 'T1', channelId: 'C8' },
      { teamId: 'T1', channelId: 'C9' },
    ]);
    await erase('channel', 'C8');
    expect(await pastNotices()).toEqual([{ teamId: 'T1', channelId: 'C9' }]);
  });

  test('of a channel leave no past threads, not even those of jobs that were deleted long ago', async () => {
    await over([], []);
    const { database } = await openDatabase(location);
    await database.queries
      .insertInto('pastThread')
      .values(['C8', 'C9'].map((channelId) => ({ teamId: 'T1', channelId, threadTs: '1.1', at: NOW_MS })))
      .execute();
    await database.close();
    await erase('channel', 'C8');
    expect(await pastThreads()).toEqual(['C9']);
  });
});
