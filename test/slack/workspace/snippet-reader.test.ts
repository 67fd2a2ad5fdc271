import type { IncomingMessage, ServerResponse } from 'node:http';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { Snippet } from '../../../src/jobs/requests/attachments.ts';
import { SlackCallError, type SlackCaller } from '../../../src/slack/workspace/caller.ts';
import { SnippetReader } from '../../../src/slack/workspace/snippet-reader.ts';
import { serveHttp } from '../../agent/support.ts';

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

/** A server that answers so, and what it was asked with. */
async function startServer(answer: Answer) {
  const tokens: (string | undefined)[] = [];
  const server = await serveHttp((request, response) => {
    tokens.push(request.headers.authorization);
    answer(request, response);
  });
  onTestFinished(() => server[Symbol.asyncDispose]());
  return { origin: server.baseUrl, tokens };
}

async function read(answer: Answer, maxLength = 100) {
  const { origin } = await startServer(answer);
  return readerOf(`${origin}/api/`).read(at(`${origin}/notes.txt`), maxLength);
}

const at = (url: string) => ({ name: 'notes.txt', url });
const notAsked: SlackCaller = () => Promise.reject(new Error('Slack was asked'));
const readerOf = (apiUrl: string | null, call = notAsked) =>
  new SnippetReader(call, async () => 'xoxb-1', apiUrl);

/** Slack says so of the file, or refuses to. */
async function readShared(file: (origin: string) => object, text = 'süß') {
  const { origin, tokens } = await startServer((_request, response) => response.end(text));
  const asked: unknown[] = [];
  const call = async (method: string, args?: object) => {
    asked.push([method, args]);
    return { ok: true, file: file(origin) };
  };
  const reader = readerOf(`${origin}/api/`, call as SlackCaller);
  const content = await reader.read({ name: 'attached file', url: null, fileId: 'F1' }, 100);
  return { content, asked, tokens };
}

describe('a text snippet', () => {
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
    [
      'at a limit that is given in milliseconds by mistake, after five minutes',
      (_, response) => response.writeHead(429, { 'retry-after': '60000' }).end(),
      300_000,
    ],
    ['at a limit without a time', (_, response) => response.writeHead(429).end(), null],
    ['while Slack is down', (_, response) => response.writeHead(503).end(), null],
    ['after a broken connection', (request) => request.socket.destroy(), null],
  ])('is tried again later %s', async (_what, answer, retryAfterMs) => {
    expect(await read(answer)).toEqual({ retryAfterMs });
  });
});

describe('a file of a shared channel, which Slack describes only when asked', () => {
  test('is only named if Slack says nothing of it', async () => {
    for (const nothing of [undefined, null, 'F1', []]) {
      const { content } = await readShared(() => nothing as unknown as object);
      expect(content).toEqual({ kind: 'file', name: null });
    }
  });

  test('is read from nowhere else, whatever Slack says', async () => {
    const elsewhere = { mode: 'snippet', name: 'x', url_private: 'https://evil.example/x' };
    const { content } = await readShared(() => elsewhere);
    expect(content).toEqual({ name: 'x', problem: 'unreadable' });
  });

  test.each([
    ['file_not_found', 'refused', false, { problem: 'unreadable' }],
    ['missing_scope', 'retry', true, { problem: 'unreadable' }],
    ['ratelimited', 'retry', false, { retryAfterMs: null }],
    ['request_timeout', 'unknown', false, { retryAfterMs: null }],
  ] as const)('after %s is unreadable, or tried again', async (code, outcome, needsAdmin, expected) => {
    const failure = { outcome, code, needsAdmin, retryAfterMs: null, isPassing: false };
    const call = () => Promise.reject(new SlackCallError('files.info', failure, null));
    const read = readerOf(null, call).read({ name: 'x', url: null, fileId: 'F1' }, 100);
    expect(await read).toEqual(expected);
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
    for (const apiUrl of [null, 'https://slack.com/api/', 'https://slack-gov.com/api/']) {
      expect(await readerOf(apiUrl).read(at(address), 100)).toEqual({ problem: 'unreadable' });
    }
  });

  test.each([
    [null, 'https://files.slack.com/a', 'https://files.slack-gov.com/a'],
    ['https://slack.com/api/', 'https://files.slack.com/a', 'https://files.slack-gov.com/a'],
    ['https://slack-gov.com/api/', 'https://files.slack-gov.com/a', 'https://files.slack.com/a'],
  ])('with the API at %s, but to %s, and not to %s', async (apiUrl, own, other) => {
    const asked: string[] = [];
    vi.stubGlobal('fetch', async (url: URL) => {
      asked.push(url.href);
      return new Response('text');
    });
    onTestFinished(() => void vi.unstubAllGlobals());
    expect(await readerOf(apiUrl).read(at(own), 100)).toEqual({ text: 'text' });
    expect(await readerOf(apiUrl).read(at(other), 100)).toEqual({ problem: 'unreadable' });
    expect(asked).toEqual([own]);
  });
});

describe('pictures', () => {
  const PNG = Buffer.from('89504e470d0a1a0a0001', 'hex');
  const readPictures = async (answer: Answer, pictures: (origin: string) => readonly Snippet[]) => {
    const { origin, tokens } = await startServer(answer);
    return { read: await readerOf(`${origin}/api/`).readPictures(pictures(origin)), tokens };
  };
  const some = (count: number, size: number) => (origin: string) =>
    Array.from({ length: count }, (_, index) => ({ name: `${index}.png`, url: `${origin}/${index}`, size }));

  test.each([
    ['image/png', PNG],
    ['image/jpeg', Buffer.from('ffd8ffe000104a46', 'hex')],
    ['image/gif', Buffer.from('GIF89a')],
    ['image/webp', Buffer.from('RIFF1234WEBPVP8 ')],
  ])('are read with the token, and known as %s by their bytes', async (mimeType, bytes) => {
    const { read, tokens } = await readPictures(
      (_, response) => response.setHeader('content-type', 'image/x-whatever').end(bytes),
      (origin) => [{ name: 'a &amp; b', url: `${origin}/a` }],
    );
    expect(read).toEqual([{ name: 'a & b', mimeType, data: bytes.toString('base64') }]);
    expect(tokens).toEqual(['Bearer xoxb-1']);
  });

  test.each(['<svg onload="x">', '%PDF-1.7', '', 'BM'])('are none that begin with %j', async (content) => {
    const { read } = await readPictures((_, response) => response.end(content), some(1, 100));
    expect(read).toEqual([{ name: '0.png', problem: 'not_taken' }]);
  });
});
