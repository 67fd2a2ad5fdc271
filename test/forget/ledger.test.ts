import { expect, test } from 'vitest';
import type { CallRequest } from '../../src/jobs/call.ts';
import type { FollowUp } from '../../src/jobs/follow-ups/follow-up.ts';
import { aCall, aDecision, aFollowUp, aJob, NOW_MS } from '../contract/store/samples.ts';
import { describeOnDatabases } from '../support/databases.ts';
import { forgetfulStore } from './support/forgetful-store.ts';

const ended = { kind: 'ended', status: 'completed', sinceMs: 0 } as const;
const sent = (prompt: string) => ({ kind: 'send_message', agentJobId: 'agent-1', prompt }) as const;
const notice = (channelId: string) =>
  ({ kind: 'notify_channel', channelId, url: 'https://example.com/pull/1' }) as const;

describeOnDatabases('jobs of others', (make) => {
  const { run, raw, erase } = forgetfulStore(make);

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
    await run(async (tx) => {
      await tx.write(aDecision({ job, followUps, calls }), NOW_MS);
      for (const { id } of calls)
        await tx.calls.recordOutcome(id, { state: 'done', detail: 'by U1' }, NOW_MS);
    });
    await raw((queries) => queries.deleteFrom('task').execute());
  }

  async function rows() {
    const columns = ['naturalKey', 'lane', 'request', 'detail'] as const;
    const ofReplies = ['userId', 'text', 'more'] as const;
    const calls = await raw((db) => db.selectFrom('call').select(columns).orderBy('id').execute());
    return {
      calls: calls.map(({ request }) => JSON.parse(request)),
      details: calls.map(({ detail }) => detail),
      places: calls.map(({ naturalKey, lane }) => [naturalKey, lane]),
      replies: await raw((db) => db.selectFrom('followUp').select(ofReplies).orderBy('id').execute()),
    };
  }
  const pastNotices = () =>
    raw((db) => db.selectFrom('pastNotice').select(['teamId', 'channelId']).orderBy('channelId').execute());

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
    expect(await erase('user', 'U1')).toMatchObject({ holdings: { jobs: 0, replies: 1, calls: 3 } });
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
    await erase('user', 'U1');
    const { calls, replies } = await rows();
    expect(calls).toEqual([created, sent('(erased)')]);
    expect(JSON.stringify(replies)).not.toContain('her-desk');
  });

  test('in which the person is only named keep all words but the name', async () => {
    await over(
      [{ userId: 'U2', text: 'As <@U1> says', corrected: 'As <@U1|Ann> said', state: 'not_sent' }],
      [sent('As <@U1> says'), { kind: 'create_job', prompt: 'Ask <@U1> or <@U12>' }],
    );
    expect(await erase('user', 'U1')).toMatchObject({
      holdings: { jobs: 0, replies: 0, calls: 0, mentions: 3 },
    });
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
    await over([], [notice('C8'), notice('C9')]);
    expect(await erase('channel', 'C8')).toMatchObject({ holdings: { jobs: 0, mentions: 1 } });
    expect(await erase('channel', 'C9')).toMatchObject({ holdings: { jobs: 0, mentions: 1 } });
    const { calls, places } = await rows();
    expect(calls).toEqual([notice('forgotten'), notice('forgotten')]);
    expect(places).toEqual([
      ['forgotten:call-0', 'channel:forgotten'],
      ['forgotten:call-1', 'channel:forgotten'],
    ]);
  });

  test('and were deleted leave of their notices to a channel nothing that names it', async () => {
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
    const threads = ['C8', 'C9'].map((channelId) => ({
      teamId: 'T1',
      channelId,
      threadTs: '1.1',
      at: NOW_MS,
    }));
    await raw((db) => db.insertInto('pastThread').values(threads).execute());
    await erase('channel', 'C8');
    const left = await raw((db) => db.selectFrom('pastThread').select('channelId').execute());
    expect(left).toEqual([{ channelId: 'C9' }]);
  });
});
