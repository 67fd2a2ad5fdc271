import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { localApp } from '../../demo/local-slack/workspace.ts';
import { alice, bob, describeWithLocalSlack, general, type SlackMessage } from '../support/local-slack.ts';
import { working } from './support/turns.ts';
import { startWorld, type World } from './support/world.ts';

let sequence = 0;
/** A timestamp that no message in the local Slack has. */
function newTs(): string {
  sequence += 1;
  return `1700000000.${String(sequence).padStart(6, '0')}`;
}

const cards = async (world: World, prompt: string) =>
  (await world.slack.messages(general)).filter(({ thread_ts, text }) => !thread_ts && text.includes(prompt));

/** What the agent was sent after the prompt, in the newest job. */
const followUps = (world: World) => world.api.jobs.at(-1)?.prompts.slice(1) ?? [];

/** Whatever was sent before it would have gone out together with this reply, or before it. */
async function expectFollowUps(world: World, card: SlackMessage, expected: readonly string[]): Promise<void> {
  await world.clock.advance(10_000);
  await world.slack.reply(card, 'the last one');
  await world.clock.advance(4_000);
  await expect
    .poll(() => followUps(world).some((text) => text.endsWith('the last one')), { message: 'the last reply' })
    .toBe(true);
  expect(followUps(world)).toEqual([...expected, 'the last one']);
}

describeWithLocalSlack('requests over signed HTTP', () => {
  let world: World & AsyncDisposable;
  beforeAll(async () => {
    world = await startWorld({ mode: 'http' });
  });
  afterAll(() => world[Symbol.asyncDispose]());

  test.each(['one after the other', 'at the same time'])(
    'a command that is delivered three times, %s, starts one job (S5)',
    async (how) => {
      const text = `Start once, ${how}`;
      const command = { channelId: general, userId: alice, text, triggerId: `again ${how}` };
      const deliver = (retryNum: number) => world.signed.sendCommand(command, { retryNum });
      const answers =
        how === 'at the same time'
          ? await Promise.all([1, 2, 3].map(deliver))
          : [await deliver(1), await deliver(2), await deliver(3)];
      expect(answers).toEqual(Array(3).fill({ status: 200, body: '' }));
      await expect.poll(() => world.api.jobs.at(-1)?.prompts, { message: 'the job' }).toEqual([text]);
      await world.clock.advance(10_000);
      expect(await cards(world, text)).toHaveLength(1);
      expect(world.api.jobs.filter(({ prompts }) => prompts[0] === text)).toHaveLength(1);
    },
  );

  describe('a reply that is delivered again is sent once (S5, F1)', () => {
    test.each([
      ['with the same event id', true, {}],
      ['as another event', false, {}],
      ['as another message of the same client', false, { ts: newTs() }],
      ['as a file share', false, { subtype: 'file_share' }],
      ['sent to the channel too', false, { subtype: 'thread_broadcast' }],
    ])('%s', async (what, isSameEvent, changes) => {
      const card = await working(world, `Reply once, ${what}`);
      const event = {
        type: 'message',
        channel: general,
        user: bob,
        ts: newTs(),
        thread_ts: card.ts,
        text: 'Only once',
        client_msg_id: `client ${what}`,
      };
      const eventId = `Ev first ${what}`;
      const twin = {
        event: { ...event, ...changes },
        eventId: isSameEvent ? eventId : `Ev again ${what}`,
      };
      const answers = await Promise.all([
        world.signed.sendEvent({ event, eventId }),
        world.signed.sendEvent(twin, { retryNum: 1 }),
        world.signed.sendEvent(twin, { retryNum: 2 }),
      ]);
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
      await expectFollowUps(world, card, ['Only once']);
    });
  });

  test.each([
    ['forged', 'wrong'],
    ['ten minutes old', 'stale'],
  ] as const)('a request that is %s is refused, and nothing happens', async (what, signature) => {
    const card = await working(world, `Before it is ${what}`);
    const event = {
      type: 'message',
      channel: general,
      user: bob,
      ts: newTs(),
      thread_ts: card.ts,
      text: what,
    };
    const command = { channelId: general, userId: alice, text: `Start ${what}` };
    expect(await world.signed.sendCommand(command, { signature })).toMatchObject({ status: 401 });
    expect(await world.signed.sendEvent({ event }, { signature })).toMatchObject({ status: 401 });
    await expectFollowUps(world, card, []);
    expect(await cards(world, `Start ${what}`)).toHaveLength(0);
  });

  test('what no person wrote as a reply is no follow-up (F4)', async () => {
    const card = await working(world, 'Listen to people only');
    const reply = { type: 'message', channel: general, user: bob, thread_ts: card.ts, text: 'not a reply' };
    const changed = { user: bob, ts: card.ts, thread_ts: card.ts, text: 'not a reply', type: 'message' };
    const events = [
      { ...reply, subtype: 'bot_message', bot_id: 'B0OTHER', user: undefined },
      { ...reply, user: undefined, bot_id: 'B0OTHER' },
      { ...reply, user: localApp.botUserId },
      { ...reply, user: undefined },
      { ...reply, subtype: 'message_changed', message: changed, previous_message: changed, hidden: true },
      { ...reply, subtype: 'message_deleted', deleted_ts: card.ts, previous_message: changed, hidden: true },
      { ...reply, subtype: 'message_replied', message: changed },
      { ...reply, subtype: 'channel_join' },
      { ...reply, subtype: 'channel_leave' },
      { ...reply, subtype: 'channel_topic' },
      { ...reply, subtype: 'reminder_add' },
      { ...reply, subtype: 'assistant_app_thread' },
      { ...reply, subtype: 'something_new' },
      { ...reply, thread_ts: undefined },
    ];
    const answers = await Promise.all(
      events.map((event) => world.signed.sendEvent({ event: { ...event, ts: newTs() } })),
    );
    expect(answers.map(({ status }) => status)).toEqual(events.map(() => 200));
    await expectFollowUps(world, card, []);
  });

  test('replies with a file, or sent to the channel too, are follow-ups (F4, F5)', async () => {
    const card = await working(world, 'Listen to all people');
    const reply = { type: 'message', channel: general, user: bob, thread_ts: card.ts };
    const withFile = { ...reply, subtype: 'file_share', ts: newTs(), text: 'See the file' };
    const broadcast = { ...reply, subtype: 'thread_broadcast', ts: newTs(), text: 'See the channel' };
    await world.signed.sendEvent({ event: withFile });
    await world.signed.sendEvent({ event: broadcast });
    await world.clock.advance(4_000);
    await expect
      .poll(() => followUps(world), { message: 'the follow-up' })
      .toEqual(['See the file\n\nSee the channel']);
  });

  test('replies in other threads are nobody’s follow-ups (F1)', async () => {
    const card = await working(world, 'Listen in this thread');
    const root = await world.slack.message({ channel: general, user: bob, text: 'another thread' });
    await world.slack.reply(root, 'elsewhere');
    const elsewhere = { type: 'message', channel: 'C0ELSEWHERE', user: bob, ts: newTs(), thread_ts: card.ts };
    await world.signed.sendEvent({ event: { ...elsewhere, text: 'another channel' } });
    await expectFollowUps(world, card, []);
    expect(await world.slack.reactions(root)).toEqual([]);
  });

  test('quick replies go out as one message, in the order of their timestamps (F3)', async () => {
    const card = await working(world, 'Wait for the end of the burst');
    const reply = { type: 'message', channel: general, user: bob, thread_ts: card.ts };
    const texts = ['One', 'Two', 'Three', 'Four'];
    const events = texts.map((text) => ({ ...reply, ts: newTs(), text }));
    for (const event of events.toReversed()) {
      await world.signed.sendEvent({ event });
      await world.clock.advance(1_000);
    }
    await world.clock.advance(4_000);
    await expect.poll(() => followUps(world), { message: 'one message' }).toEqual([texts.join('\n\n')]);
  });
});
