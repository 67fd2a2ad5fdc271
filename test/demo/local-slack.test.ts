import { execFile } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { chmod, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { WebClient } from '@slack/web-api';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { findLocalSlack, type Machine } from '../../demo/local-slack/find.ts';
import { localApp } from '../../demo/local-slack/workspace.ts';
import { type LocalSlack, startLocalSlack } from '../../demo/local-slack.ts';
import {
  alice,
  bob,
  describeWithLocalSlack,
  general,
  type SlackControl,
  startTestSlack,
  testWorkspace,
} from '../support/local-slack.ts';
import { createTempDir } from '../support/temp-dir.ts';

describe('finding the local Slack', () => {
  const packaged: Machine = {
    platform: 'linux',
    arch: 'x64',
    resolve: (specifier) => `/modules/${specifier}`,
  };
  const bare: Machine = { ...packaged, resolve: () => null };

  test('takes LOCAL_SLACK_BIN first', () => {
    expect(findLocalSlack({ LOCAL_SLACK_BIN: '/opt/slack', PATH: '' }, packaged)).toBe('/opt/slack');
  });

  test('else takes the npm package for the platform', () => {
    expect(findLocalSlack({ PATH: '' }, { ...packaged, platform: 'darwin', arch: 'arm64' })).toBe(
      '/modules/local-slack-darwin-arm64/bin/local-slack',
    );
  });

  test('else takes a program on the PATH, if it can be run', async () => {
    await using empty = await createTempDir();
    await using folder = await createTempDir();
    const program = join(folder.path, 'local-slack');
    const env = { PATH: [empty.path, folder.path].join(delimiter) };

    await writeFile(program, '#!/bin/sh\n');
    expect(findLocalSlack(env, bare)).toBeNull();
    await chmod(program, 0o755);
    expect(findLocalSlack(env, bare)).toBe(program);
  });

  test('finds nothing where there is nothing', () => {
    expect(findLocalSlack({}, bare)).toBeNull();
  });
});

describe('a local Slack that does not come up', () => {
  const start = (binary: string) => startLocalSlack({ binary, port: 0, workspace: testWorkspace });

  test('is reported when there is no such program', async () => {
    await expect(start('/nowhere/local-slack')).rejects.toThrow(
      /\/nowhere\/local-slack.*ended at its start with code 127.*not found/s,
    );
  });

  test('is reported with what it said', async () => {
    await using folder = await createTempDir();
    const program = join(folder.path, 'local-slack');
    await writeFile(program, '#!/bin/sh\necho "the sky is falling" >&2\nexit 3\n', { mode: 0o755 });

    await expect(start(program)).rejects.toThrow(/ended at its start with code 3:\nthe sky is falling/);
  });
});

describeWithLocalSlack('a local Slack', () => {
  const binary = findLocalSlack(process.env) ?? '';
  let slack: LocalSlack & { readonly control: SlackControl };
  let client: WebClient;

  beforeAll(async () => {
    slack = await startTestSlack();
    client = new WebClient(slack.botToken, { slackApiUrl: slack.apiUrl });
  });
  afterAll(() => slack.stop());
  beforeEach(() => slack.control.reset());

  test('knows the bot under the identity that it was given', async () => {
    expect(await client.auth.test()).toMatchObject({
      ok: true,
      team_id: slack.teamId,
      user_id: slack.botUserId,
    });
  });

  test('shows a conversation as its people see it', async () => {
    const { control } = slack;
    const asked = await control.message({ channel: general, user: alice, text: 'please' });
    await client.chat.postMessage({ channel: general, thread_ts: asked.ts, text: 'on it' });
    await control.message({ channel: general, user: bob, text: 'thanks', threadTs: asked.ts });
    await control.message({ channel: general, user: bob, text: 'elsewhere' });
    await client.reactions.add({ channel: general, timestamp: asked.ts, name: 'eyes' });

    const thread = await control.thread(general, asked.ts);
    expect(thread.map(({ user, text }) => [user, text])).toEqual([
      [alice, 'please'],
      [slack.botUserId, 'on it'],
      [bob, 'thanks'],
    ]);
    expect(await control.messages(general)).toHaveLength(4);
    expect(await control.reactions(asked)).toEqual(['eyes']);
  });

  test('lets people edit and delete their messages', async () => {
    const { control } = slack;
    const first = await control.message({ channel: general, user: alice, text: 'frist' });
    const second = await control.message({ channel: general, user: alice, text: 'second' });

    await control.editMessage(first, 'first');
    await control.deleteMessage(second);

    expect((await control.messages(general)).map(({ text }) => text)).toEqual(['first']);
  });

  test('refuses to press a button that is not there, and says which are', async () => {
    await client.chat.postMessage({
      channel: general,
      text: 'choose',
      blocks: [
        {
          type: 'actions',
          elements: [{ type: 'button', action_id: 'retry', text: { type: 'plain_text', text: 'Retry' } }],
        },
      ],
    });
    const [message] = await slack.control.messages(general);
    if (!message) throw new Error('no message');

    await expect(slack.control.press(message, 'watch', alice)).rejects.toThrow(
      /no button "watch"; it has: retry/,
    );
  });

  test('stops, and may be stopped twice', async () => {
    const other = await startTestSlack();
    await other.stop();
    await other.stop();

    await expect(fetch(other.url)).rejects.toThrow('fetch failed');
  });

  test('ends with the process that started it, even if that is killed', async () => {
    const modulePath = JSON.stringify(join(import.meta.dirname, '../../demo/local-slack.ts'));
    const options = JSON.stringify({ binary, port: 0, workspace: testWorkspace });
    const script = `
      const { startLocalSlack } = await import(${modulePath});
      const slack = await startLocalSlack(${options});
      process.stdout.write(slack.url, () => process.kill(process.pid, 'SIGKILL'));`;
    const { stdout } = await promisify(execFile)(process.execPath, [
      '--input-type=module',
      '-e',
      script,
    ]).catch((killed: { stdout: string }) => killed);

    expect(stdout).toMatch(/^http:/);
    const reachable = () =>
      fetch(stdout).then(
        () => true,
        () => false,
      );
    await expect.poll(reachable, { message: 'the local Slack to end' }).toSatisfy((answers) => !answers);
  });

  test('says that its port is taken', async () => {
    const server = createServer().listen(0);
    onTestFinished(() => void server.close());
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;

    const starting = startLocalSlack({ binary, port, workspace: testWorkspace });
    await expect(starting).rejects.toThrow(/ended at its start.*EADDRINUSE/s);
  });
});

describeWithLocalSlack('a local Slack in HTTP mode', () => {
  test('sends signed commands and button presses to the request URL', async () => {
    const received: { headers: Record<string, unknown>; body: string }[] = [];
    const bot = createServer(async (request, response) => {
      let body = '';
      for await (const chunk of request) body += chunk;
      received.push({ headers: request.headers, body });
      response.end();
    }).listen(0, '127.0.0.1');
    onTestFinished(() => void bot.close());
    await once(bot, 'listening');
    const { port } = bot.address() as AddressInfo;
    const app = { mode: 'events', requestUrl: `http://127.0.0.1:${port}/slack/events` } as const;
    const slack = await startTestSlack({ ...testWorkspace, app });
    onTestFinished(() => slack.stop());

    await slack.control.command({ channel: general, user: alice, text: 'write it down' });

    const [command] = received;
    expect(Object.fromEntries(new URLSearchParams(command?.body))).toMatchObject({
      command: '/docs-agent',
      text: 'write it down',
      channel_id: general,
      user_id: alice,
      team_id: localApp.teamId,
    });
    const timestamp = command?.headers['x-slack-request-timestamp'];
    const hmac = createHmac('sha256', slack.signingSecret).update(`v0:${timestamp}:${command?.body}`);
    expect(command?.headers['x-slack-signature']).toBe(`v0=${hmac.digest('hex')}`);

    const button = {
      type: 'button',
      action_id: 'retry',
      value: 'call-1',
      text: { type: 'plain_text', text: 'Retry' },
    };
    await new WebClient(slack.botToken, { slackApiUrl: slack.apiUrl }).apiCall('chat.postMessage', {
      channel: general,
      text: 'choose',
      blocks: [{ type: 'actions', block_id: 'choices', elements: [button] }],
    });
    const [message] = await slack.control.messages(general);
    if (!message) throw new Error('no message');
    await slack.control.press(message, 'retry', bob);

    const payload = JSON.parse(new URLSearchParams(received[1]?.body).get('payload') ?? '');
    expect(payload).toMatchObject({
      type: 'block_actions',
      user: { id: bob },
      channel: { id: general },
      message: { ts: message.ts },
      actions: [{ action_id: 'retry', block_id: 'choices', value: 'call-1' }],
    });
  });
});
