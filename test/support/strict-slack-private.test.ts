import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { alice, bob, general, random, type SlackMessage } from './local-slack.ts';
import { type Caller, callerOf, posted } from './strict-slack/caller.ts';
import { connectBot, type Envelope, type SocketBot } from './strict-slack/socket-bot.ts';
import { type StrictSlack, startStrictSlack } from './strict-slack.ts';
import { createTestClock } from './test-clock.ts';

const blocks = ['1', '2'].map((value) => ({
  type: 'section',
  text: { type: 'plain_text', text: `Job ${value}` },
  accessory: { type: 'button', text: { type: 'plain_text', text: 'Retry' }, action_id: 'retry', value },
}));

let slack: StrictSlack;
let bot: SocketBot;
let call: Caller;

beforeEach(async () => {
  slack = await startStrictSlack({ clock: createTestClock(Date.now()), app: { mode: 'socket' } });
  bot = await connectBot(slack);
  call = callerOf(slack);
});
afterEach(() => slack[Symbol.asyncDispose]());

const postEphemeral = (more: object = {}) =>
  call('chat.postEphemeral', { channel: general, user: alice, text: 'Retry?', ...more });

async function sentPrivately(): Promise<SlackMessage> {
  const { error, message_ts: ts } = await postEphemeral({ blocks });
  const message = (await slack.control.messages(general)).find((one) => one.ts === ts);
  if (message === undefined) throw new Error(`not shown: ${error}`);
  return message;
}

async function pressed(message: SlackMessage, value?: string): Promise<Envelope['payload']> {
  const press = slack.control.press(message, 'retry', alice, value);
  const envelope = await bot.next();
  bot.acknowledge(envelope);
  await press;
  return envelope.payload;
}

async function respond({ response_url: url }: Envelope['payload'], body: object): Promise<number> {
  const headers = { 'content-type': 'application/json' };
  return (await fetch(String(url), { method: 'POST', body: JSON.stringify(body), headers })).status;
}

describe('a private message is refused', () => {
  test('where the bot or the person is not, and in a private channel as if there were none', async () => {
    expect((await postEphemeral({ channel: random })).error).toBe('not_in_channel');
    expect((await postEphemeral({ channel: 'C0NOWHERE' })).error).toBe('channel_not_found');
    slack.control.remove(general, alice);
    expect((await postEphemeral()).error).toBe('user_not_in_channel');
    slack.control.openChannel({ id: 'C0SECRET', name: 'secret', members: [alice], type: 'group' });
    slack.control.openChannel({ id: 'D0PAIR', name: 'pair', members: [alice, bob], type: 'im' });
    for (const channel of ['C0SECRET', 'D0PAIR'])
      expect((await postEphemeral({ channel })).error).toBe('channel_not_found');
  });

  test('without text, and with metadata', async () => {
    expect((await postEphemeral({ text: '' })).error).toBe('no_text');
    const metadata = { event_type: 'x', event_payload: {} };
    expect((await postEphemeral({ metadata })).error).toBe('invalid_arguments');
  });
});

test('a private message in a thread is seen there, and is no reply to others', async () => {
  const root = await posted(call, { channel: general, text: 'root' });
  bot.acknowledge(await bot.next());
  await postEphemeral({ thread_ts: root });
  expect(await slack.control.thread(general, root)).toEqual([
    expect.objectContaining({ ts: root }),
    expect.objectContaining({ subtype: 'ephemeral', ephemeral_to: alice, thread_ts: root }),
  ]);
  const { messages } = await call('conversations.history', { channel: general });
  expect(messages?.[0]).not.toHaveProperty('reply_count');
});

describe('a button of a private message', () => {
  test('tells the bot who pressed it, but not the message', async () => {
    const message = await sentPrivately();
    const payload = await pressed(message, '2');
    expect(payload).toMatchObject({
      type: 'block_actions',
      user: { id: alice },
      container: { type: 'message', message_ts: message.ts, channel_id: general, is_ephemeral: true },
      actions: [{ action_id: 'retry', value: '2' }],
    });
    expect(payload).not.toHaveProperty('message');
    await expect(slack.control.press(message, 'retry', bob)).rejects.toThrow(`only ${alice} sees`);
    await expect(slack.control.press(message, 'retry', alice, '3')).rejects.toThrow('no button "retry"');
  });

  test('can put another message in its place, or take it away, without an event', async () => {
    const payload = await pressed(await sentPrivately());
    expect(await respond(payload, { replace_original: true, text: 'Retrying' })).toBe(200);
    const [replaced] = await slack.control.messages(general);
    expect(replaced).toMatchObject({ text: 'Retrying', ephemeral_to: alice });
    expect(replaced).not.toHaveProperty('blocks');
    expect(await respond(payload, { delete_original: true })).toBe(200);
    expect(await slack.control.messages(general)).toEqual([]);
    expect(slack.deliveries()).toHaveLength(1);
  });
});

test('a private answer to a command has buttons that can be pressed', async () => {
  const typed = slack.control.command({ channel: general, user: alice, text: 'list' });
  bot.acknowledge(await bot.next(), { text: 'Your jobs', blocks });
  await typed;
  const [answer] = await slack.control.messages(general);
  if (answer === undefined) throw new Error('no answer');
  expect(await pressed(answer, '1')).toMatchObject({
    container: { is_ephemeral: true },
    actions: [{ block_id: expect.stringMatching(/^.{5}$/), value: '1' }],
  });
});

test('a shortcut brings the message with its thread, also where the bot is not', async () => {
  slack.control.remove(general, 'U0DOCSAGENT');
  const root = await slack.control.message({ channel: general, user: alice, text: 'How to retry?' });
  const threadTs = root.ts;
  const reply = await slack.control.message({ channel: general, user: bob, text: 'Like so', threadTs });
  const used = slack.control.shortcut({ message: reply, user: alice, callbackId: 'ask' });
  const envelope = await bot.next();
  expect(envelope).toMatchObject({
    type: 'interactive',
    payload: {
      type: 'message_action',
      callback_id: 'ask',
      trigger_id: expect.any(String),
      user: { id: alice, team_id: 'T0LOCAL' },
      channel: { id: general },
      message_ts: reply.ts,
      message: { ts: reply.ts, text: 'Like so', user: bob, thread_ts: root.ts },
    },
  });
  bot.acknowledge(envelope);
  expect(await used).toEqual({ acknowledged: true, payload: null });
  expect(await respond(envelope.payload, { text: 'Invite me' })).toBe(200);
  expect((await slack.control.messages(general)).at(-1)).toMatchObject({ ephemeral_to: alice });
});
