import { afterEach, beforeEach, expect, test } from 'vitest';
import { alice, general, random } from './local-slack.ts';
import { callerOf, posted } from './strict-slack/caller.ts';
import { type StrictSlack, startStrictSlack } from './strict-slack.ts';
import { createTestClock } from './test-clock.ts';

let slack: StrictSlack;

beforeEach(async () => {
  slack = await startStrictSlack({ clock: createTestClock(Date.now()), app: { mode: 'socket' } });
});
afterEach(() => slack[Symbol.asyncDispose]());

/** The inner events so far. */
const events = () => slack.deliveries().map(({ payload }) => payload.event);
const write = (text: string, channel = general) => slack.control.message({ channel, user: alice, text });

test('a person’s message is delivered with its ids', async () => {
  const { ts } = await write('hello');
  expect(events()).toEqual([
    {
      type: 'message',
      channel: general,
      channel_type: 'channel',
      user: alice,
      text: 'hello',
      ts,
      event_ts: ts,
      team: 'T0LOCAL',
      client_msg_id: expect.stringMatching(/^[\da-f-]{36}$/),
    },
  ]);
  expect(slack.deliveries()[0]?.payload).toMatchObject({
    type: 'event_callback',
    team_id: 'T0LOCAL',
    event_id: expect.stringMatching(/^Ev/),
  });
});

test('a mention of the bot is delivered twice, but for one in direct messages', async () => {
  await write('<@U0DOCSAGENT> hello');
  expect(events().map((event) => Object(event).type)).toEqual(['message', 'app_mention']);
  await write('<@U0DOCSAGENT> hello', alice);
  expect(events()).toHaveLength(3);
  expect(events()[2]).toMatchObject({ channel_type: 'im' });
});

test('nothing is delivered of a channel that the bot is not in', async () => {
  await write('hello', random);
  expect(events()).toEqual([]);
});

test('edits and deletions are delivered with the message before', async () => {
  const message = await write('helo');
  await slack.control.editMessage(message, 'hello');
  await slack.control.deleteMessage(message);
  const { ts } = message;
  const edited = { user: alice, ts: expect.any(String) };
  expect(events().slice(1)).toEqual([
    expect.objectContaining({
      subtype: 'message_changed',
      channel: general,
      message: expect.objectContaining({ ts, text: 'hello', edited }),
      previous_message: expect.objectContaining({ ts, text: 'helo' }),
    }),
    expect.objectContaining({
      subtype: 'message_deleted',
      deleted_ts: ts,
      previous_message: expect.objectContaining({ ts, text: 'hello' }),
    }),
  ]);
});

test('the bot’s own posts and edits are delivered too, without metadata', async () => {
  const call = callerOf(slack);
  const metadata = { event_type: 'post', event_payload: { id: '7' } };
  const ts = await posted(call, { channel: general, text: 'ours', metadata });
  await call('chat.update', { channel: general, ts, text: 'still ours' });
  expect(events()).toEqual([
    expect.objectContaining({ type: 'message', bot_id: 'B0DOCSAGENT', ts }),
    expect.objectContaining({ subtype: 'message_changed', message: expect.objectContaining({ ts }) }),
  ]);
  expect(JSON.stringify(events())).not.toContain('event_payload');
});
