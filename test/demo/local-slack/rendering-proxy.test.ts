import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { WebClient } from '@slack/web-api';
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { WebSocket as WebSocketClient, WebSocketServer } from 'ws';
import { startRenderingProxy } from '../../../demo/local-slack/rendering-proxy.ts';

interface Arrived {
  readonly url: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

let arrived: Arrived[];
let answer: { status: number; headers: Record<string, string>; body: string };
let apiUrl: string;

beforeEach(async () => {
  arrived = [];
  answer = { status: 200, headers: {}, body: '{"ok":true,"ts":"1.2"}' };
  const slack = createServer(async (request, response) => {
    arrived.push({ url: request.url, headers: request.headers, body: await text(request) });
    response.writeHead(answer.status, answer.headers).end(answer.body);
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void slack.close());
  await once(slack, 'listening');
  const proxy = await startRenderingProxy(`http://127.0.0.1:${(slack.address() as AddressInfo).port}/api/`);
  onTestFinished(() => proxy.close());
  apiUrl = proxy.apiUrl;
});

const client = () => new WebClient('xoxb-1', { slackApiUrl: apiUrl, retryConfig: { retries: 0 } });
const blocks = [{ type: 'section', text: { type: 'mrkdwn', text: '1 &lt; 2 &amp; 3 – é' } } as const];

test('posts and updates reach the local Slack as Slack would show them', async () => {
  const posted = await client().chat.postMessage({ channel: 'C1', text: '1 &lt; 2', blocks });
  await client().chat.update({ channel: 'C1', ts: '1.2', text: '1 &lt; 2', blocks });

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

test('everything else passes as it is', async () => {
  await client().apiCall('conversations.history', { channel: 'C1', text: '1 &lt; 2' });
  expect(new URLSearchParams(arrived[0]?.body).get('text')).toBe('1 &lt; 2');

  answer = { status: 429, headers: { 'retry-after': '7' }, body: 'no' };
  const refused = await fetch(`${apiUrl}auth.test?a=%26lt%3B`, { method: 'POST', body: '&lt;' });
  expect([refused.status, refused.headers.get('retry-after'), await refused.text()]).toEqual([
    429,
    '7',
    'no',
  ]);
  expect(arrived[1]).toMatchObject({ url: '/api/auth.test?a=%26lt%3B', body: '&lt;' });
});

test('reactions are read from the message, where the local Slack has them', async () => {
  const message = { ts: '1.2', reactions: [{ name: 'memo', users: ['U1'] }] };
  answer.body = JSON.stringify({ ok: true, messages: [message] });
  expect(await client().reactions.get({ channel: 'C1', timestamp: '1.2' })).toMatchObject({ message });
  expect(arrived[0]?.url).toBe('/api/conversations.replies');
  expect(arrived[0]?.body).toBe('channel=C1&ts=1.2');

  answer.body = '{"ok":true,"messages":[]}';
  await expect(client().reactions.get({ channel: 'C1', timestamp: '1.3' })).rejects.toThrow(
    'message_not_found',
  );
});

test('links to threads lead to the page', async () => {
  answer = { status: 200, headers: {}, body: '{"ok":true,"url":"http://elsewhere.example/","team":"T"}' };
  const { url, team } = await client().auth.test();
  expect(team).toBe('T');
  expect(new URL(url ?? '').hostname).toBe('127.0.0.1');
  expect(new URL(url ?? '').origin).not.toBe(new URL(apiUrl).origin);
});

test('a local Slack that is gone looks gone', async () => {
  const proxy = await startRenderingProxy('http://127.0.0.1:1/api/');
  onTestFinished(() => proxy.close());
  await expect(fetch(`${proxy.apiUrl}auth.test`)).rejects.toThrow('fetch failed');
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
