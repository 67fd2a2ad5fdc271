import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { alice, bob, general } from './local-slack.ts';
import { callerOf } from './strict-slack/caller.ts';
import { connectBot, type SocketBot } from './strict-slack/socket-bot.ts';
import { type StrictSlack, startStrictSlack } from './strict-slack.ts';
import { createTestClock, type TestClock } from './test-clock.ts';

const hello = { channel: general, user: alice, text: 'hello' };

let clock: TestClock;
let slack: StrictSlack;
let bot: SocketBot;

beforeEach(async () => {
  clock = createTestClock(Date.now());
  slack = await startStrictSlack({ clock, app: { mode: 'socket' } });
  bot = await connectBot(slack);
});
afterEach(() => slack[Symbol.asyncDispose]());

describe('a command', () => {
  test('returns with the bot’s acknowledgement, which is shown to the person who typed it', async () => {
    const typed = slack.control.command({ ...hello, text: 'help' });
    const envelope = await bot.next();
    expect(envelope).toMatchObject({
      type: 'slash_commands',
      payload: { command: '/docs-agent', text: 'help' },
    });
    expect(slack.inFlight()).toBe(1);
    bot.acknowledge(envelope, { text: 'So it goes' });
    expect(await typed).toEqual({ acknowledged: true, payload: { text: 'So it goes' } });
    expect(slack.inFlight()).toBe(0);
    expect(await slack.control.messages(general)).toEqual([
      expect.objectContaining({ text: 'So it goes', ephemeral_to: alice }),
    ]);
  });

  test('is lost with its connection, after 3 seconds, or without a connection; never repeated', async () => {
    const lost = { acknowledged: false, payload: null };
    const cut = slack.control.command(hello);
    await bot.next();
    slack.socket.cut();
    expect(await cut).toEqual(lost);
    expect(await slack.control.command(hello)).toEqual(lost);

    bot = await connectBot(slack);
    const late = slack.control.command(hello);
    await bot.next();
    await clock.advance(3_000);
    expect(await late).toEqual(lost);
    await clock.advance(3_600_000);
    expect(slack.deliveries()).toHaveLength(3);
  });
});

describe('an event', () => {
  test('comes again at once, after a minute, and after five more, the same each time', async () => {
    const written = slack.control.message(hello);
    const first = await bot.next();
    const startMs = clock.now();
    await clock.advance(3_000);
    expect(await written).toMatchObject({ text: 'hello' });
    await clock.advance(3_600_000);
    const again = [await bot.next(), await bot.next(), await bot.next()];
    expect(first).toMatchObject({ type: 'events_api', retry_attempt: 0, retry_reason: '' });
    expect(again).toEqual(
      [1, 2, 3].map((attempt) => ({ ...first, retry_attempt: attempt, retry_reason: 'timeout' })),
    );
    const after = slack.deliveries().map(({ sentAtMs }) => sentAtMs - startMs);
    expect(after).toEqual([0, 3_000, 66_000, 369_000]);
    expect(await slack.control.messages(general)).toHaveLength(1);
  });

  test('comes no more once it is acknowledged, even late', async () => {
    const written = slack.control.message(hello);
    const envelope = await bot.next();
    await clock.advance(3_000);
    bot.acknowledge(envelope);
    bot.acknowledge(await bot.next());
    await written;
    await expect.poll(() => slack.inFlight(), { message: 'all answers' }).toBe(0);
    await clock.advance(3_600_000);
    expect(slack.deliveries()).toHaveLength(2);
  });

  test('goes to another connection when its own was cut', async () => {
    const written = slack.control.message(hello);
    const { payload } = await bot.next();
    slack.socket.cut();
    await written;
    await clock.advance(0);
    bot = await connectBot(slack);
    await clock.advance(60_000);
    expect(await bot.next()).toMatchObject({ payload, retry_attempt: 2 });
  });

  test('is given up when nobody ever connects', async () => {
    slack.socket.cut();
    await slack.control.message(hello);
    await clock.advance(3_600_000);
    bot = await connectBot(slack);
    await clock.advance(3_600_000);
    expect(bot.envelopes).toEqual([]);
    expect(slack.deliveries()).toHaveLength(4);
  });

  test('goes out in as many copies as a test asks for', async () => {
    slack.onDelivery(({ attempt }) => (attempt === 0 ? 0 : 3));
    const written = await slack.control.message(hello);
    expect(bot.envelopes).toEqual([]);
    await clock.advance(0);
    const copies = [await bot.next(), await bot.next(), await bot.next()];
    expect(new Set(copies.map(({ payload }) => payload.event?.ts))).toEqual(new Set([written.ts]));
    for (const copy of copies) bot.acknowledge(copy);
    await expect.poll(() => slack.inFlight(), { message: 'all answers' }).toBe(0);
  });
});

describe('connections', () => {
  test('take turns', async () => {
    const other = await connectBot(slack);
    for (const [receiver, text] of [
      [bot, 'one'],
      [other, 'two'],
      [bot, 'three'],
    ] as const) {
      const written = slack.control.message({ ...hello, text });
      const envelope = await receiver.next();
      expect(envelope.payload.event?.text).toBe(text);
      receiver.acknowledge(envelope);
      await written;
    }
  });

  test('of several programs get what each may get, and count together', async () => {
    const laptop = await connectBot({ ...slack, apiUrl: slack.apiUrlOf('laptop') });
    slack.socket.routeBy(({ kind }, program) => (kind === 'command') === (program === 'laptop'));
    for (let count = 0; count < 2; count += 1) {
      void slack.control.command(hello);
      void slack.control.message(hello);
      expect(await laptop.next()).toMatchObject({ type: 'slash_commands' });
      bot.acknowledge(await bot.next());
    }
    await expect
      .poll(() => slack.deliveries().filter(({ acknowledgedBy }) => acknowledgedBy === 'api'))
      .toMatchObject([{ kind: 'event' }, { kind: 'event' }]);
    expect(slack.socket.connections()).toBe(2);
    await laptop.close();
    expect(await slack.control.command(hello)).toMatchObject({ acknowledged: false });
  });

  test('are ten at most, and each address is good for one', async () => {
    for (let count = 2; count <= 10; count += 1) await connectBot(slack);
    expect(slack.socket.connections()).toBe(10);
    await expect(connectBot(slack)).rejects.toThrow('too_many_websockets');
    await bot.close();
    await expect.poll(() => slack.socket.connections(), { message: 'the goodbye' }).toBe(9);
    const { url } = await callerOf(slack, slack.appToken)('apps.connections.open');
    const open = () =>
      new Promise<string>((resolve) => {
        const socket = new WebSocket(String(url));
        socket.onmessage = () => resolve('open');
        socket.onclose = () => resolve('refused');
      });
    expect(await open()).toBe('open');
    expect(await open()).toBe('refused');
  });
});

test('a pressed button comes with its message; pressing one that is not there is an error', async () => {
  const block = { type: 'actions', elements: [{ type: 'button', text: { type: 'plain_text', text: 'Go' } }] };
  const withId = {
    ...block,
    elements: block.elements.map((button) => ({ ...button, action_id: 'go', value: '7' })),
  };
  const metadata = { event_type: 'post', event_payload: { id: '7' } };
  await callerOf(slack)('chat.postMessage', { channel: general, text: 'Go?', blocks: [withId], metadata });
  bot.acknowledge(await bot.next());
  const [message] = await slack.control.messages(general);
  if (message === undefined) throw new Error('no message');
  const pressed = slack.control.press(message, 'go', bob);
  const envelope = await bot.next();
  expect(envelope).toMatchObject({
    type: 'interactive',
    payload: {
      type: 'block_actions',
      user: { id: bob },
      channel: { id: general },
      message: { ts: message.ts, blocks: message.blocks, metadata },
      actions: [{ action_id: 'go', value: '7', block_id: message.blocks?.[0]?.block_id }],
    },
  });
  bot.acknowledge(envelope);
  expect(await pressed).toEqual({ acknowledged: true, payload: null });
  await expect(async () => slack.control.press(message, 'stop', bob)).rejects.toThrow('no button "stop"');
});
