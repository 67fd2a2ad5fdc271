import { connect } from 'node:net';
import { LogLevel } from '@slack/bolt';
import { ErrorCode, WebClient } from '@slack/web-api';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import type { LocalSlack } from '../../demo/local-slack.ts';
import { type FaultProxy, startFaultProxy } from './fault-proxy.ts';
import { describeWithLocalSlack, general, type SlackControl, startTestSlack } from './local-slack.ts';

describeWithLocalSlack('the fault proxy', () => {
  let slack: LocalSlack & { readonly control: SlackControl };
  let proxy: FaultProxy;
  let client: WebClient;

  beforeAll(async () => {
    slack = await startTestSlack();
  });
  afterAll(() => slack.stop());
  beforeEach(async () => {
    await slack.control.reset();
    proxy = await startFaultProxy({ target: slack.apiUrl });
    client = new WebClient(slack.botToken, {
      slackApiUrl: proxy.apiUrl,
      retryConfig: { retries: 0 },
      rejectRateLimitedCalls: true,
      timeout: 1_000,
      logLevel: LogLevel.ERROR,
    });
  });
  afterEach(() => proxy.close());

  const post = (text = 'hello', by = client) =>
    by.chat.postMessage({
      channel: general,
      text,
      metadata: { event_type: 'note', event_payload: { id: 1 } },
    });
  const posted = async () => (await slack.control.messages(general)).map(({ text }) => text);

  test('passes calls on and records them with their arguments', async () => {
    const answer = await post();

    expect(answer.ok).toBe(true);
    expect(await posted()).toEqual(['hello']);
    expect(proxy.calls('chat.postMessage')).toEqual([
      {
        method: 'chat.postMessage',
        token: slack.botToken,
        args: {
          channel: general,
          text: 'hello',
          metadata: { event_type: 'note', event_payload: { id: 1 } },
        },
      },
    ]);
  });

  test('passes on JSON bodies, and what they say, unchanged', async () => {
    const args = { channel: general, text: 'Grüße ✓', blocks: [{ type: 'divider' }] };

    const response = await fetch(`${proxy.apiUrl}chat.postMessage`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json; charset=utf-8' },
      body: JSON.stringify(args),
    });

    expect(await response.json()).toMatchObject({ ok: true, message: { text: args.text } });
    expect(proxy.calls()).toEqual([{ method: 'chat.postMessage', token: null, args }]);
  });

  test('answers a rate limit, a server error and a Slack error in the order asked for, then passes on', async () => {
    proxy.fail(
      'chat.postMessage',
      { status: 429, headers: { 'Retry-After': '7' } },
      { status: 500, body: 'oh' },
    );
    proxy.fail('chat.postMessage', { error: 'not_in_channel' });

    await expect(post()).rejects.toMatchObject({ code: ErrorCode.RateLimitedError, retryAfter: 7 });
    await expect(post()).rejects.toMatchObject({ code: ErrorCode.HTTPError, statusCode: 500, body: 'oh' });
    await expect(post()).rejects.toMatchObject({ data: { ok: false, error: 'not_in_channel' } });
    expect(await posted()).toEqual([]);

    await post('at last');
    expect(await posted()).toEqual(['at last']);
    expect(proxy.calls('chat.postMessage')).toHaveLength(4);
  });

  test('lets other methods alone', async () => {
    proxy.fail('chat.update', { status: 500 });

    expect((await post()).ok).toBe(true);
  });

  test('resets the connection before the post happened', async () => {
    proxy.fail('chat.postMessage', 'reset_before');

    await expect(post()).rejects.toMatchObject({ code: ErrorCode.RequestError });
    expect(await posted()).toEqual([]);
  });

  test('resets the connection after the post happened', async () => {
    proxy.fail('chat.postMessage', 'reset_after');

    await expect(post()).rejects.toMatchObject({ code: ErrorCode.RequestError });
    expect(await posted()).toEqual(['hello']);
  });

  test('cuts an answer in half', async () => {
    proxy.fail('chat.postMessage', 'half_body');

    await expect(post()).rejects.toThrow('terminated');
    expect(await posted()).toEqual(['hello']);
  });

  test('answers with an error although it happened', async () => {
    proxy.fail('chat.postMessage', 'error_after');

    await expect(post()).rejects.toMatchObject({ code: ErrorCode.HTTPError, statusCode: 500 });
    expect(await posted()).toEqual(['hello']);
  });

  test('leaves a call unanswered', async () => {
    const hasty = new WebClient(slack.botToken, {
      slackApiUrl: proxy.apiUrl,
      retryConfig: { retries: 0 },
      timeout: 100,
      logLevel: LogLevel.ERROR,
    });
    proxy.fail('chat.postMessage', 'hang');

    await expect(post('hello', hasty)).rejects.toMatchObject({ code: ErrorCode.RequestError });
    expect(await posted()).toEqual([]);
  });

  test('holds a request until it is released', async () => {
    const released = Promise.withResolvers<void>();
    proxy.fail('chat.postMessage', { forwardAfter: released.promise });

    const call = post();
    await expect.poll(() => proxy.calls().length, { message: 'the call' }).toBe(1);
    expect(await posted()).toEqual([]);
    released.resolve();

    expect((await call).ok).toBe(true);
    expect(await posted()).toEqual(['hello']);
  });

  test('holds an answer until it is released', async () => {
    const released = Promise.withResolvers<void>();
    proxy.fail('chat.postMessage', { answerAfter: released.promise });
    let answered = false;

    const call = post().finally(() => {
      answered = true;
    });
    await expect.poll(posted, { message: 'the post' }).toHaveLength(1);
    expect(answered).toBe(false);
    released.resolve();

    expect((await call).ok).toBe(true);
  });

  test('closes with a call still open', async () => {
    const other = await startFaultProxy({ target: slack.apiUrl });
    other.fail('auth.test', 'hang');
    const call = fetch(`${other.apiUrl}auth.test`);
    const failed = expect(call).rejects.toThrow('fetch failed');
    await expect.poll(() => other.calls().length, { message: 'the call' }).toBe(1);

    await other.close();

    await failed;
    const { port } = new URL(other.apiUrl);
    const refused = Promise.withResolvers<unknown>();
    connect(Number(port), '127.0.0.1').on('error', refused.resolve);
    expect(await refused.promise).toMatchObject({ code: 'ECONNREFUSED' });
  });
});
