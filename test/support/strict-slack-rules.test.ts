import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { alice, bob, general, random } from './local-slack.ts';
import { type Caller, callerOf, posted } from './strict-slack/caller.ts';
import { type StrictSlack, startStrictSlack } from './strict-slack.ts';
import { createTestClock } from './test-clock.ts';

const section = (text: string, blockId?: string) => ({
  type: 'section',
  ...(blockId === undefined ? {} : { block_id: blockId }),
  text: { type: 'plain_text', text },
});
const button = (id: string, more: object = {}) => ({
  type: 'button',
  text: { type: 'plain_text', text: 'Go' },
  action_id: id,
  ...more,
});

let slack: StrictSlack;
let call: Caller;

beforeEach(async () => {
  slack = await startStrictSlack({ clock: createTestClock(Date.now()), app: { mode: 'socket' } });
  call = callerOf(slack);
});
afterEach(() => slack[Symbol.asyncDispose]());

const post = (more: object = {}) => call('chat.postMessage', { channel: general, text: 'hello', ...more });

describe('a call is refused', () => {
  test.each([
    ['without a token', null, 'not_authed'],
    ['with a wrong token', 'xoxb-wrong', 'invalid_auth'],
    ['with the app’s token', 'xapp-local-slack', 'not_allowed_token_type'],
  ])('%s', async (_what, token, error) => {
    expect(await callerOf(slack, token)('auth.test')).toEqual({ status: 200, ok: false, error });
  });

  test('while the token is revoked', async () => {
    slack.control.revokeToken();
    expect((await post()).error).toBe('token_revoked');
    slack.control.restoreToken();
    expect((await post()).ok).toBe(true);
  });

  test('of an unknown method, or with the bot’s token for a socket', async () => {
    expect((await call('chat.shout')).error).toBe('unknown_method');
    expect((await call('apps.connections.open')).error).toBe('not_allowed_token_type');
  });

  test.each([
    ['chat.postMessage', { text: 'hello' }],
    ['chat.postMessage', { channel: general, text: 'hello', as_user: true }],
    ['chat.update', { channel: general, text: 'hello' }],
    ['chat.postEphemeral', { channel: general, text: 'hello' }],
    ['chat.getPermalink', { channel: general }],
    ['reactions.add', { channel: general, name: 'eyes' }],
    ['conversations.replies', { channel: general }],
    ['conversations.history', { channel: general, limit: 0 }],
    ['users.info', {}],
  ])('%s with missing or unknown arguments', async (method, args) => {
    expect((await call(method, args)).error).toBe('invalid_arguments');
  });
});

describe('a post is refused', () => {
  test('where the bot is not, and nowhere', async () => {
    expect((await post({ channel: random })).error).toBe('not_in_channel');
    expect((await post({ channel: 'C0NOWHERE' })).error).toBe('channel_not_found');
    slack.control.invite(random, 'U0DOCSAGENT');
    expect((await post({ channel: random })).ok).toBe(true);
    slack.control.remove(random, 'U0DOCSAGENT');
    expect((await call('conversations.history', { channel: random })).error).toBe('not_in_channel');
  });

  test('in an archived channel, which can still be read', async () => {
    slack.control.archive(general);
    expect((await post()).error).toBe('is_archived');
    expect((await call('conversations.history', { channel: general })).ok).toBe(true);
    slack.control.unarchive(general);
    expect((await post()).ok).toBe(true);
  });

  test.each([
    ['no_text', { text: ' ' }],
    ['msg_too_long', { text: 'x'.repeat(40_001) }],
    ['message_not_found', { thread_ts: '1.000001' }],
    ['invalid_metadata_format', { metadata: { event_type: 'x' } }],
    ['invalid_metadata_format', { metadata: 'x' }],
    ['metadata_too_large', { metadata: { event_type: 'x', event_payload: { y: 'y'.repeat(20_000) } } }],
    ['invalid_blocks', { blocks: Array.from({ length: 51 }, () => section('x')) }],
    ['invalid_blocks', { blocks: [section('x', 'same'), section('y', 'same')] }],
    ['invalid_blocks', { blocks: [section('x', 'i'.repeat(256))] }],
    ['invalid_blocks', { blocks: [section('')] }],
    ['invalid_blocks', { blocks: [section('x'.repeat(3_001))] }],
    ['invalid_blocks', { blocks: [{ type: 'section' }] }],
    ['invalid_blocks', { blocks: [{ type: 'paragraph', text: 'x' }] }],
    ['invalid_blocks', { blocks: [{ ...section('x'), colour: 'red' }] }],
    ['invalid_blocks', { blocks: [{ type: 'actions', elements: [] }] }],
    ['invalid_blocks', { blocks: [{ type: 'actions', elements: [button('a'), button('a')] }] }],
    ['invalid_blocks', { blocks: [{ type: 'actions', elements: [button('a', { url: 'javascript:x' })] }] }],
    [
      'invalid_blocks',
      { blocks: [{ type: 'actions', elements: [button('a', { value: 'v'.repeat(2_001) })] }] },
    ],
    ['invalid_blocks', { blocks: 'none' }],
    ['msg_blocks_too_long', { blocks: Array.from({ length: 5 }, () => section('x'.repeat(3_000))) }],
  ])('as %s', async (error, args) => {
    expect((await post(args)).error).toBe(error);
    expect(await slack.control.messages(general)).toEqual([]);
  });
});

test('a thread takes replies after its root was deleted, and none under a reply', async () => {
  const root = await posted(call, { channel: general, text: 'root' });
  const reply = await posted(call, { channel: general, text: 'reply', thread_ts: root });
  expect((await post({ thread_ts: reply })).error).toBe('cannot_reply_to_message');
  const [message] = await slack.control.messages(general);
  if (message === undefined) throw new Error('no message');
  await slack.control.deleteMessage(message);
  expect((await post({ thread_ts: root })).ok).toBe(true);
  expect((await call('conversations.replies', { channel: general, ts: root })).error).toBe(
    'thread_not_found',
  );
});

describe('an edit', () => {
  test('is refused for no message, a person’s, and a long text', async () => {
    const theirs = await slack.control.message({ channel: general, user: alice, text: 'mine' });
    const update = (ts: string, text = 'new') => call('chat.update', { channel: general, ts, text });
    expect((await update('1.000001')).error).toBe('message_not_found');
    expect((await update(theirs.ts)).error).toBe('cant_update_message');
    const ours = await posted(call, { channel: general, text: 'ours' });
    expect((await update(ours, 'x'.repeat(4_001))).error).toBe('msg_too_long');
  });

  test('without blocks takes the old ones away, and keeps the metadata', async () => {
    const metadata = { event_type: 'post', event_payload: { id: '7' } };
    const ts = await posted(call, { channel: general, text: 'old', blocks: [section('old')], metadata });
    await call('chat.update', { channel: general, ts, text: 'new' });
    const [message] = await slack.control.messages(general);
    expect(message).toMatchObject({ text: 'new' });
    expect(message).not.toHaveProperty('blocks');
    const read = await call('conversations.history', { channel: general, include_all_metadata: true });
    expect(read.messages).toEqual([expect.objectContaining({ text: 'new', metadata })]);
  });
});

test('a reaction is there once, and can be taken away once', async () => {
  const timestamp = await posted(call, { channel: general, text: 'hello' });
  const react = (method: string, more: object = {}) =>
    call(method, { channel: general, timestamp, name: 'eyes', ...more });
  expect((await react('reactions.add', { timestamp: '1.000001' })).error).toBe('message_not_found');
  expect((await react('reactions.remove')).error).toBe('no_reaction');
  expect((await react('reactions.add')).ok).toBe(true);
  expect((await react('reactions.add')).error).toBe('already_reacted');
  const [message] = await slack.control.messages(general);
  expect(message?.reactions).toEqual([{ name: 'eyes', users: ['U0DOCSAGENT'] }]);
  expect((await react('reactions.remove')).ok).toBe(true);
  expect((await react('reactions.remove')).error).toBe('no_reaction');
});

test('people are known by name, and others are not', async () => {
  expect(await call('users.info', { user: bob })).toMatchObject({
    user: { id: bob, real_name: 'Bob Brown' },
  });
  expect((await call('users.info', { user: 'U0NOBODY' })).error).toBe('user_not_found');
});

test('a private message is seen by one person, and not by reading', async () => {
  const args = { channel: general, text: 'psst' };
  expect((await call('chat.postEphemeral', { ...args, user: 'U0NOBODY' })).error).toBe('user_not_in_channel');
  expect((await call('chat.postEphemeral', { ...args, user: alice })).ok).toBe(true);
  const seen = await slack.control.messages(general);
  expect(seen).toEqual([expect.objectContaining({ text: 'psst', ephemeral_to: alice })]);
  expect((await call('conversations.history', { channel: general })).messages).toEqual([]);
});

test('a message to a person opens their direct messages with the bot', async () => {
  const { channel } = await post({ channel: alice });
  expect(channel).toMatch(/^D/);
  expect(await slack.control.messages(alice)).toHaveLength(1);
  expect((await post({ channel })).ok).toBe(true);
});
