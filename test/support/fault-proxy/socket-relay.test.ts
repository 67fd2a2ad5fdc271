import { App, type Logger, LogLevel, SocketModeReceiver } from '@slack/bolt';
import { WebClient } from '@slack/web-api';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import type { LocalSlack } from '../../../demo/local-slack.ts';
import { type FaultProxy, startFaultProxy } from '../fault-proxy.ts';
import { alice, describeWithLocalSlack, general, type SlackControl, startTestSlack } from '../local-slack.ts';

/** The cuts that these tests make on purpose are errors to Slack's client, and it would print them. */
const silentLogger: Logger = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
  setLevel: () => undefined,
  getLevel: () => LogLevel.ERROR,
  setName: () => undefined,
};

describeWithLocalSlack('Socket Mode through the fault proxy', () => {
  let slack: LocalSlack & { readonly control: SlackControl };
  let proxy: FaultProxy;
  const bots: App[] = [];

  beforeAll(async () => {
    slack = await startTestSlack();
  });
  afterAll(() => slack.stop());
  beforeEach(async () => {
    await slack.control.reset();
    proxy = await startFaultProxy({ target: slack.apiUrl });
  });
  afterEach(async () => {
    for (const bot of bots.splice(0)) await bot.stop();
    await proxy.close();
  });

  async function startBot(): Promise<string[]> {
    const heard: string[] = [];
    const clientOptions = { slackApiUrl: proxy.apiUrl };
    const receiver = new SocketModeReceiver({
      appToken: slack.appToken,
      installerOptions: { clientOptions: { ...clientOptions } },
      // The client waits so long before it connects again.
      clientPingTimeout: 200,
      logger: silentLogger,
    });
    const app = new App({ receiver, token: slack.botToken, clientOptions, logger: silentLogger });
    app.event('message', async ({ event }) => {
      heard.push('text' in event ? (event.text ?? '') : '');
    });
    app.command('/docs-agent', async ({ command, ack }) => {
      heard.push(command.text);
      await ack();
    });
    await app.start();
    bots.push(app);
    return heard;
  }

  /** Bolt acknowledges an event before its listener runs, so what the bot heard is there a little later. */
  async function hears(heard: readonly string[], ...texts: string[]): Promise<void> {
    await expect
      .poll(() => heard, { message: 'the bot to hear it' })
      .toSatisfy(({ length }) => length >= texts.length);
    expect(heard).toEqual(texts);
  }

  test('relays Socket Mode, and shows envelopes and acknowledgements', async () => {
    const heard = await startBot();

    await slack.control.message({ channel: general, user: alice, text: 'one' });
    await slack.control.command({ channel: general, user: alice, text: 'two' });

    await hears(heard, 'one', 'two');
    expect(proxy.socket.connections()).toBe(1);
    expect(proxy.socket.envelopes().map(({ type }) => type)).toEqual(['events_api', 'slash_commands']);
    const ids = (items: readonly { envelope_id: string }[]) => items.map(({ envelope_id }) => envelope_id);
    expect(ids(proxy.socket.acks())).toEqual(ids(proxy.socket.envelopes()));
  });

  test('delivers each envelope as often as asked', async () => {
    const heard = await startBot();
    proxy.socket.duplicate(3);

    await slack.control.message({ channel: general, user: alice, text: 'again' });

    await hears(heard, 'again', 'again', 'again');
    expect(proxy.socket.envelopes()).toHaveLength(1);
  });

  test('cuts the connection, and the bot comes back', async () => {
    const heard = await startBot();

    proxy.socket.cut();
    await expect.poll(() => proxy.socket.connections(), { message: 'the cut' }).toBe(0);
    await expect.poll(() => proxy.socket.connections(), { message: 'the bot to come back' }).toBe(1);
    expect(proxy.calls('apps.connections.open')).toHaveLength(2);

    await slack.control.message({ channel: general, user: alice, text: 'still there?' });
    await hears(heard, 'still there?');
  });

  test('holds acknowledgements back, and redelivers only what is not acknowledged', async () => {
    const heard = await startBot();
    const letThrough = proxy.socket.holdAcks();

    const delivered = slack.control.message({ channel: general, user: alice, text: 'held' });
    await expect.poll(() => proxy.socket.acks(), { message: 'the acknowledgement' }).toHaveLength(1);
    const acksAtSlack = async () => (await slack.control.log()).filter(({ kind }) => kind === 'ack');
    expect(await acksAtSlack()).toEqual([]);
    letThrough();
    await delivered;
    expect(await acksAtSlack()).toHaveLength(1);

    proxy.socket.redeliver();
    await slack.control.message({ channel: general, user: alice, text: 'next' });
    await hears(heard, 'held', 'next');
  });

  test('redelivers what a bot left unacknowledged, marked as a retry', async () => {
    const opened = await new WebClient(slack.appToken, { slackApiUrl: proxy.apiUrl }).apps.connections.open();
    const bot = new WebSocket(opened.url ?? '');
    const frames: { type: string; envelope_id?: string; retry_attempt?: number }[] = [];
    bot.addEventListener('message', ({ data }) => frames.push(JSON.parse(String(data))));
    await expect.poll(() => frames, { message: 'the greeting' }).toHaveLength(1);

    const delivered = slack.control.message({ channel: general, user: alice, text: 'anybody?' });
    await expect.poll(() => frames, { message: 'the envelope' }).toHaveLength(2);
    proxy.socket.redeliver();
    await expect.poll(() => frames, { message: 'the retry' }).toHaveLength(3);
    const [, first, second] = frames;
    expect(second).toEqual({ ...first, retry_attempt: 1, retry_reason: 'timeout' });

    bot.send(JSON.stringify({ envelope_id: first?.envelope_id }));
    await delivered;
    bot.close();
  });
});
