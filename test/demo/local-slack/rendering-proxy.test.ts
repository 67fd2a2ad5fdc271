import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { WebClient } from '@slack/web-api';
import { expect, onTestFinished, test, vi } from 'vitest';
import { WebSocket as WebSocketClient, WebSocketServer } from 'ws';
import { startRenderingProxy } from '../../../demo/local-slack/rendering-proxy.ts';

interface Arrived {
  readonly url: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

const blocks = [{ type: 'section', text: { type: 'mrkdwn', text: '1 &lt; 2 &amp; 3 – é' } } as const];

test('posts and updates reach the local Slack as Slack would show them', async () => {
  const arrived: Arrived[] = [];
  const slack = createServer(async (request, response) => {
    arrived.push({ url: request.url, headers: request.headers, body: await text(request) });
    response.end('{"ok":true,"ts":"1.2"}');
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void slack.close());
  await once(slack, 'listening');
  const proxy = await startRenderingProxy(`http://127.0.0.1:${(slack.address() as AddressInfo).port}/api/`);
  onTestFinished(() => proxy.close());
  const client = new WebClient('xoxb-1', { slackApiUrl: proxy.apiUrl, retryConfig: { retries: 0 } });
  const posted = await client.chat.postMessage({ channel: 'C1', text: '1 &lt; 2', blocks });
  await client.chat.update({ channel: 'C1', ts: '1.2', text: '1 &lt; 2', blocks });

  expect(posted).toMatchObject({ ok: true, ts: '1.2' });
  expect(arrived.map(({ url }) => url)).toEqual(['/api/chat.postMessage', '/api/chat.update']);
  for (const { headers, body } of arrived) {
    const form = new URLSearchParams(body);
    expect(form.get('text')).toBe('1 < 2');
    expect(JSON.parse(form.get('blocks') ?? '')).toEqual([
      { type: 'section', text: { type: 'mrkdwn', text: '1 < 2 & 3 – é' } },
    ]);
    expect(headers.authorization).toBe('Bearer xoxb-1');
  }
});

test('answers over Socket Mode, and later ones, reach the local Slack as Slack would show them', async () => {
  const answered: unknown[] = [];
  const slack = createServer(async (request, response) => {
    if (request.url === '/api/apps.connections.open') {
      response.end(JSON.stringify({ ok: true, url: `ws://127.0.0.1:${port}/socket?ticket=1` }));
      return;
    }
    answered.push({ url: request.url, body: JSON.parse(await text(request)) });
    response.end('ok');
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void slack.close());
  await once(slack, 'listening');
  const { port } = slack.address() as AddressInfo;
  const sockets = new WebSocketServer({ server: slack });
  onTestFinished(() => sockets.close());
  const longText = '1 &lt; 2 '.repeat(20_000);
  sockets.on('connection', (socket, { url }) => {
    answered.push(url);
    socket.send(JSON.stringify({ response_url: `http://127.0.0.1:${port}/_hooks/response/7`, longText }));
    socket.on('message', (message) => answered.push(JSON.parse(String(message))));
  });
  const proxy = await startRenderingProxy(`http://127.0.0.1:${port}/api/`);
  onTestFinished(() => proxy.close());

  const opened = await fetch(`${proxy.apiUrl}apps.connections.open`, { method: 'POST' });
  const { url } = (await opened.json()) as { url: string };
  expect(new URL(url).host).toBe(new URL(proxy.apiUrl).host);
  const bot = new WebSocketClient(url);
  onTestFinished(() => bot.terminate());
  const [delivered] = (await once(bot, 'message')) as [Buffer];
  const { response_url: responseUrl } = JSON.parse(String(delivered)) as { response_url: string };
  for (const message of ['1 &lt; 2', longText]) {
    bot.send(JSON.stringify({ envelope_id: 'e', payload: { text: message, blocks } }));
  }
  bot.send(JSON.stringify({ envelope_id: 'f' }));
  const shownBlocks = [{ type: 'section', text: { type: 'mrkdwn', text: '1 < 2 & 3 – é' } }];
  await fetch(responseUrl, { method: 'POST', body: JSON.stringify({ text: '1 &lt; 2', blocks }) });
  await vi.waitFor(() => expect(answered).toHaveLength(5));
  expect(answered).toEqual(
    expect.arrayContaining([
      '/socket?ticket=1',
      { envelope_id: 'e', payload: { text: '1 < 2', blocks: shownBlocks } },
      { envelope_id: 'e', payload: { text: '1 < 2 '.repeat(20_000), blocks: shownBlocks } },
      { envelope_id: 'f' },
      { url: '/_hooks/response/7', body: { text: '1 < 2', blocks: shownBlocks } },
    ]),
  );
});
