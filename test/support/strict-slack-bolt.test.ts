import { App, HTTPReceiver, SocketModeReceiver } from '@slack/bolt';
import { describe, expect, test } from 'vitest';
import { freePort } from './free-port.ts';
import { alice, general } from './local-slack.ts';
import { type StrictSlack, startStrictSlack } from './strict-slack.ts';
import { createTestClock } from './test-clock.ts';

const text = (value: string) => ({ type: 'plain_text' as const, text: value });
const element = { type: 'plain_text_input' as const, action_id: 'text' };
const modal = (title: string) => ({
  type: 'modal' as const,
  callback_id: 'ask',
  title: text(title),
  submit: text('Start'),
  blocks: [{ type: 'input' as const, block_id: 'prompt', label: text('Prompt'), element }],
});
const button = { type: 'button' as const, action_id: 'go', text: text('Go') };
const home = { type: 'home' as const, blocks: [{ type: 'actions' as const, elements: [button] }] };

function createApp(slack: StrictSlack, mode: 'socket' | 'http'): App {
  const clientOptions = { slackApiUrl: slack.apiUrl };
  const { appToken, signingSecret, botToken: token } = slack;
  const receiver =
    mode === 'http'
      ? new HTTPReceiver({ signingSecret })
      : new SocketModeReceiver({ appToken, installerOptions: { clientOptions } });
  return new App({ token, receiver, clientOptions });
}

describe.each(['socket', 'http'] as const)('a Bolt app (%s)', (mode) => {
  test('opens a modal, answers what is submitted, and publishes a home', async () => {
    const port = await freePort();
    await using slack = await startStrictSlack({
      clock: createTestClock(Date.now()),
      app:
        mode === 'socket'
          ? { mode: 'socket' }
          : { mode: 'events', requestUrls: [`http://127.0.0.1:${port}/slack/events`] },
    });
    const { control } = slack;
    const app = createApp(slack, mode);
    const answers = [
      { response_action: 'errors' as const, errors: { prompt: 'Too vague' } },
      { response_action: 'update' as const, view: modal('Two') },
    ];
    const seen: unknown[] = [];
    app.command('/docs-agent', async ({ ack, client, body: { trigger_id } }) => {
      await client.views.open({ trigger_id, view: modal('One') });
      await ack();
    });
    app.view('ask', async ({ ack, view }) => {
      seen.push(view.state.values.prompt?.text?.value);
      await ack(answers.shift());
    });
    app.event('app_home_opened', async ({ client, event }) => {
      await client.views.publish({ user_id: event.user, view: home });
    });
    app.action('go', async ({ ack, body }) => {
      seen.push(body.type);
      await ack();
    });
    app.shortcut('ask', async ({ ack, shortcut, client }) => {
      if (shortcut.type !== 'message_action') return;
      const { channel, message_ts: ts } = shortcut;
      await client.agents.sessions.setStatus({ channel_id: channel.id, thread_ts: ts, status: 'processing' });
      await ack();
    });
    await app.start(port);

    control.declareAgent(true);
    await control.command({ channel: general, user: alice, text: '' });
    const { errors } = await control.submit(alice, { Prompt: 'stuff' });
    expect(errors).toEqual({ prompt: 'Too vague' });
    await control.submit(alice, { Prompt: 'the FAQ' });
    expect(control.modal(alice)).toMatchObject({ title: text('Two') });
    await control.submit(alice);
    expect(control.modal(alice)).toBeNull();
    await control.openHome(alice);
    await expect.poll(() => control.home(alice), { message: 'the home' }).toSatisfy((view) => view !== null);
    await control.pressInView(alice, 'go');
    const message = await control.message({ channel: general, user: alice, text: 'hello' });
    await control.shortcut({ message, user: alice, callbackId: 'ask' });
    expect(control.session(general, message.ts)).toBe('processing');
    expect(seen).toEqual(['stuff', 'the FAQ', 'the FAQ', 'block_actions']);
    await app.stop();
    await expect.poll(() => slack.socket.connections(), { message: 'the goodbye' }).toBe(0);
  });
});
