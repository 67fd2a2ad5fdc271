import type { Server } from 'node:http';
import { App, HTTPReceiver, LogLevel } from '@slack/bolt';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createSignedSlack, type SignedSlack } from './signed-slack.ts';

describe('what Slack sends over HTTP', () => {
  const heard: unknown[] = [];
  let app: App;
  let slack: SignedSlack;

  beforeAll(async () => {
    const signingSecret = 'a secret';
    app = new App({
      receiver: new HTTPReceiver({ signingSecret, logLevel: LogLevel.ERROR }),
      authorize: async () => ({ botId: 'B0BOT', botUserId: 'U0BOT', botToken: 'xoxb-none' }),
      logLevel: LogLevel.ERROR,
    });
    app.command('/docs-agent', async ({ command, ack }) => {
      heard.push(['command', command.user_id, command.channel_id, command.text]);
      await ack('noted');
    });
    app.event('message', async ({ event, body, context }) => {
      heard.push(['message', 'text' in event && event.text, body.event_id, context.retryNum]);
    });
    app.action('retry', async ({ action, body, ack }) => {
      heard.push(['action', body.user.id, 'value' in action && action.value]);
      await ack();
    });
    const server = (await app.start(0)) as Server;
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('no port');
    const url = `http://127.0.0.1:${address.port}/slack/events`;
    slack = createSignedSlack({ url, signingSecret, teamId: 'T0TEAM' });
  });
  afterAll(async () => {
    await app.stop();
  });
  beforeEach(() => {
    heard.length = 0;
  });

  const event = { type: 'message', channel: 'C0GENERAL', user: 'U0ALICE', text: 'hello', ts: '1.000001' };
  const command = { channelId: 'C0GENERAL', userId: 'U0ALICE', text: 'a & b = <c>' };

  test('a command reaches a Bolt app, and its answer comes back', async () => {
    expect(await slack.sendCommand(command)).toEqual({ status: 200, body: 'noted' });
    expect(heard).toEqual([['command', 'U0ALICE', 'C0GENERAL', 'a & b = <c>']]);
  });

  test('an event can be delivered again as a retry', async () => {
    await slack.sendEvent({ event, eventId: 'Ev1' });
    const { status } = await slack.sendEvent({ event, eventId: 'Ev1' }, { retryNum: 1 });

    expect(status).toBe(200);
    expect(heard).toEqual([
      ['message', 'hello', 'Ev1', undefined],
      ['message', 'hello', 'Ev1', 1],
    ]);
  });

  test('a pressed button reaches a Bolt app', async () => {
    const { status } = await slack.sendAction({
      channelId: 'C0GENERAL',
      userId: 'U0ALICE',
      message: { ts: '1.000001' },
      actionId: 'retry',
      blockId: 'choices',
      value: 'call-1',
    });

    expect(status).toBe(200);
    expect(heard).toEqual([['action', 'U0ALICE', 'call-1']]);
  });

  test.each(['wrong', 'stale'] as const)('a %s signature is refused', async (signature) => {
    expect((await slack.sendCommand(command, { signature })).status).toBe(401);
    expect(heard).toEqual([]);
  });
});
