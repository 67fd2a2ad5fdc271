import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { SnippetReader } from '../../../src/slack/calls/snippet-reader.ts';

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

/** A server that answers so, and what it was asked with. */
async function startServer(answer: Answer) {
  const tokens: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    tokens.push(request.headers.authorization);
    answer(request, response);
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close().closeAllConnections());
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  return { origin: `http://127.0.0.1:${port}`, tokens };
}

async function read(answer: Answer, maxLength = 100) {
  const { origin } = await startServer(answer);
  return new SnippetReader(async () => 'xoxb-1', `${origin}/api/`).read(`${origin}/notes.txt`, maxLength);
}

describe('a text snippet', () => {
  test('is read with the token', async () => {
    const { origin, tokens } = await startServer((_request, response) => response.end('süß'));
    const reader = new SnippetReader(async () => 'xoxb-1', `${origin}/api/`);
    expect(await reader.read(`${origin}/notes.txt`, 100)).toEqual({ text: 'süß' });
    expect(tokens).toEqual(['Bearer xoxb-1']);
  });

  test('that is much longer than a prompt is not read to its end', async () => {
    expect(await read((_request, response) => response.end('x'.repeat(401)))).toEqual({
      problem: 'too_long',
    });
  });

  test.each<[string, Answer]>([
    [
      'a page to sign in',
      (_, response) => response.setHeader('content-type', 'text/html; charset=utf-8').end('<h1>'),
    ],
    ['nothing at this address', (_, response) => response.writeHead(404).end()],
    ['no permission', (_, response) => response.writeHead(403).end()],
  ])('is unreadable where there is %s', async (_what, answer) => {
    expect(await read(answer)).toEqual({ problem: 'unreadable' });
  });

  test('may be a page that comes as a file', async () => {
    const headers = { 'content-type': 'text/html', 'content-disposition': 'attachment; filename="a.html"' };
    expect(await read((_, response) => response.writeHead(200, headers).end('<h1>'))).toEqual({
      text: '<h1>',
    });
  });

  test.each<[string, Answer, number | null]>([
    ['at a rate limit', (_, response) => response.writeHead(429, { 'retry-after': '7' }).end(), 7_000],
    ['while Slack is down', (_, response) => response.writeHead(503).end(), null],
    ['after a broken connection', (request) => request.socket.destroy(), null],
  ])('is tried again later %s', async (_what, answer, retryAfterMs) => {
    expect(await read(answer)).toEqual({ retryAfterMs });
  });
});

describe('the token goes to nobody else', () => {
  test('by a redirect', async () => {
    const elsewhere = await startServer((_request, response) => response.end('stolen'));
    const answer = await read((_request, response) =>
      response.writeHead(302, { location: elsewhere.origin }).end(),
    );
    expect(answer).toEqual({ problem: 'unreadable' });
    expect(elsewhere.tokens).toEqual([]);
  });

  test.each([
    'https://files.slack.com.evil.example/notes.txt',
    'https://evil.example/files.slack.com',
    'https://user@files.slack.com/notes.txt',
    'https://files.slack.com:8443/notes.txt',
    'http://files.slack.com/notes.txt',
    'http://169.254.169.254/latest',
    'file:///etc/passwd',
    'no address',
  ])('by an address that is not Slack’s: %s', async (address) => {
    expect(await new SnippetReader(async () => 'xoxb-1', null).read(address, 100)).toEqual({
      problem: 'unreadable',
    });
  });
});
