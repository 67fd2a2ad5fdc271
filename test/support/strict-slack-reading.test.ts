import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { alice, bob, general } from './local-slack.ts';
import { type Caller, callerOf, posted } from './strict-slack/caller.ts';
import { type StrictSlack, startStrictSlack } from './strict-slack.ts';
import { createTestClock, type TestClock } from './test-clock.ts';

const metadata = { event_type: 'post', event_payload: { id: '7' } };

let clock: TestClock;
let slack: StrictSlack;
let call: Caller;

beforeEach(async () => {
  clock = createTestClock(Date.UTC(2026, 0, 1));
  slack = await startStrictSlack({ clock, app: { mode: 'socket' } });
  call = callerOf(slack);
});
afterEach(() => slack[Symbol.asyncDispose]());

async function read(method: string, args: Readonly<Record<string, unknown>>): Promise<string[][]> {
  const pages: string[][] = [];
  for (let cursor: string | undefined; ; ) {
    const answer = await call(method, {
      channel: general,
      ...args,
      ...(cursor === undefined ? {} : { cursor }),
    });
    if (!answer.ok) throw new Error(answer.error);
    pages.push((answer.messages ?? []).map(({ text }) => text));
    cursor = answer.response_metadata?.next_cursor;
    expect(answer.has_more).toBe(cursor !== undefined);
    if (cursor === undefined) return pages;
  }
}

async function post(text: string, more: object = {}): Promise<string> {
  await clock.advance(1_000);
  return posted(call, { channel: general, text, ...more });
}

describe('the history of a channel', () => {
  test('comes newest first, page by page, without replies', async () => {
    const root = await post('one');
    await post('reply', { thread_ts: root });
    await post('shouted reply', { thread_ts: root, reply_broadcast: true });
    for (const text of ['two', 'three']) await post(text);
    expect(await read('conversations.history', {})).toEqual([['three', 'two', 'shouted reply', 'one']]);
    expect(await read('conversations.history', { limit: 3 })).toEqual([
      ['three', 'two', 'shouted reply'],
      ['one'],
    ]);
    expect((await call('conversations.history', { channel: general, cursor: 'x' })).error).toBe(
      'invalid_cursor',
    );
  });

  test('can be cut at both ends, with or without them', async () => {
    const [oldest, , latest] = [await post('one'), await post('two'), await post('three')];
    expect(await read('conversations.history', { oldest, latest })).toEqual([['two']]);
    expect(await read('conversations.history', { oldest, latest, inclusive: true })).toEqual([
      ['three', 'two', 'one'],
    ]);
    const second = String(clock.now() / 1000);
    expect(await read('conversations.history', { oldest: second, inclusive: true })).toEqual([['three']]);
  });
});

describe('a thread', () => {
  test('comes oldest first, with its root on every page', async () => {
    const root = await post('root');
    const replies = [];
    for (const text of ['one', 'two', 'three']) replies.push(await post(text, { thread_ts: root }));
    expect(await read('conversations.replies', { ts: root })).toEqual([['root', 'one', 'two', 'three']]);
    expect(await read('conversations.replies', { ts: root, limit: 3 })).toEqual([
      ['root', 'one', 'two'],
      ['root', 'three'],
    ]);
    expect(await read('conversations.replies', { ts: root, oldest: replies[1] })).toEqual([
      ['root', 'three'],
    ]);
    expect(await read('conversations.replies', { ts: replies[0] })).toEqual([['one']]);
    const { messages } = await call('conversations.replies', { channel: general, ts: root });
    expect(messages?.[0]).toMatchObject({ thread_ts: root, reply_count: 3 });
    expect((await call('conversations.replies', { channel: general, ts: '1.000001' })).error).toBe(
      'thread_not_found',
    );
  });

  test('loses what is deleted', async () => {
    const root = await post('root');
    const message = { channel: general, user: bob, text: 'oops', threadTs: root };
    await slack.control.deleteMessage(await slack.control.message(message));
    expect(await read('conversations.replies', { ts: root })).toEqual([['root']]);
  });
});

test('metadata comes only to those who ask for it, and never to people', async () => {
  const root = await post('root', { metadata });
  await post('reply', { metadata, thread_ts: root });
  for (const [method, args] of [
    ['conversations.history', {}],
    ['conversations.replies', { ts: root }],
  ] as const) {
    const plain = await call(method, { channel: general, ...args });
    for (const message of plain.messages ?? []) expect(message).not.toHaveProperty('metadata');
    const full = await call(method, { channel: general, ...args, include_all_metadata: true });
    for (const message of full.messages ?? []) expect(message).toMatchObject({ metadata });
  }
  for (const message of await slack.control.messages(general)) expect(message).not.toHaveProperty('metadata');
});

test('each message has a later time than the one before, however fast they come', async () => {
  const times = [];
  for (let index = 0; index < 3; index += 1) {
    times.push((await slack.control.message({ channel: general, user: alice, text: 'x' })).ts);
  }
  const seconds = clock.now() / 1000;
  expect(times).toEqual([`${seconds}.000000`, `${seconds}.000001`, `${seconds}.000002`]);
});

test('a message has an address, and a reply that of its thread too', async () => {
  const root = await post('root');
  const reply = await post('reply', { thread_ts: root });
  const address = async (ts: string) =>
    (await call('chat.getPermalink', { channel: general, message_ts: ts })).permalink;
  expect(await address(root)).toBe(`https://strict.slack.com/archives/${general}/p${root.replace('.', '')}`);
  expect(await address(reply)).toContain(`?thread_ts=${root}&cid=${general}`);
  expect((await call('chat.getPermalink', { channel: general, message_ts: '1.000001' })).error).toBe(
    'message_not_found',
  );
});

test('thousands of threads are read quickly', async () => {
  const roots = [];
  for (let index = 0; index < 2_000; index += 1) {
    roots.push((await slack.control.message({ channel: general, user: alice, text: `root ${index}` })).ts);
  }
  for (const threadTs of roots) {
    for (let index = 0; index < 10; index += 1) {
      await slack.control.message({ channel: general, user: bob, text: `reply ${index}`, threadTs });
    }
  }
  expect(await read('conversations.replies', { ts: roots[1_000] })).toEqual([
    ['root 1000', ...Array.from({ length: 10 }, (_, index) => `reply ${index}`)],
  ]);
});
