import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type StrictWorld, startStrictWorld } from '../e2e/support/strict-world.ts';

describe.each(['http', 'socket'] as const)('the port of the program in the mode "%s"', (mode) => {
  let world: StrictWorld;
  beforeAll(async () => {
    world = await startStrictWorld({ mode });
  });
  afterAll(() => world[Symbol.asyncDispose]());

  /** All that is answered to these bytes until the connection is closed, by the other side. */
  const answerTo = async (bytes: string) => {
    const socket = connect(world.service.port, '127.0.0.1');
    socket.write(bytes);
    return text(socket);
  };
  const status = (answer: string) => /^HTTP\/1\.1 (\d+)/.exec(answer)?.[1];
  const isAlive = async () => (await fetch(`http://127.0.0.1:${world.service.port}/livez`)).ok;

  test.each([
    ['an address with a host', 'POST http://evil.example/slack/events'],
    ['an address that cannot be read', 'GET //'],
    ['another', 'GET http://'],
    ['a broken escape', 'GET /%E0%A4%A'],
    ['the way up', 'GET /../../etc/passwd'],
    ['no address', 'OPTIONS *'],
    ['a path of nobody', 'GET /.env'],
    ['the way in by another method', 'PUT /slack/events'],
    ['a health page by another method', 'POST /metrics'],
  ])('%s is not found there, and no error', async (_what, start) => {
    const answer = await answerTo(`${start} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
    expect(status(answer)).toBe('404');
    expect(world.log.filter((line) => line.includes('"level":"error"'))).toEqual([]);
  });

  test.each([
    ['no HTTP', 'hello\r\n\r\n'],
    [
      'two lengths',
      'POST /slack/events HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n',
    ],
    ['a length that is none', 'POST /slack/events HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n'],
    ['no host', 'GET /livez HTTP/1.1\r\n\r\n'],
    ['endless headers', `GET /livez HTTP/1.1\r\nHost: x\r\nA: ${'x'.repeat(20_000)}\r\n\r\n`],
  ])('%s is refused, and the program lives', async (_what, bytes) => {
    expect(status(await answerTo(bytes))).toMatch(/^4(00|31)$/);
    expect(await isAlive()).toBe(true);
  });

  test('a client that sends nothing, half of the headers, or half of the body is disconnected soon', async () => {
    const signed = [
      `X-Slack-Request-Timestamp: ${Math.floor(Date.now() / 1000)}`,
      `X-Slack-Signature: v0=${'0'.repeat(64)}`,
    ].join('\r\n');
    const half = 'POST /slack/events HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n';
    const answers = await Promise.all([
      answerTo(''),
      answerTo(half),
      answerTo(`${half}${signed}\r\nContent-Length: 1000\r\n\r\n{"type":`),
    ]);
    // In Socket Mode, the program does not wait for a body that nothing reads.
    expect(answers.map(status)).toEqual(['408', '408', mode === 'http' ? '408' : '404']);
  });

  test('clients that wait, however many, do not keep others out: the oldest are closed', async () => {
    const waiting = Array.from({ length: 600 }, () =>
      connect(world.service.port, '127.0.0.1').on('error', () => {}),
    );
    await Promise.all(waiting.slice(0, 400).map((socket) => socket.closed || once(socket, 'close')));
    expect(await isAlive()).toBe(true);
    for (const socket of waiting) socket.destroy();
  });

  test('a proxy may keep its connections for longer than a minute', async () => {
    const socket = connect(world.service.port, '127.0.0.1');
    for (const _ of [1, 2]) {
      socket.write('GET /livez HTTP/1.1\r\nHost: x\r\n\r\n');
      const [answer] = await once(socket, 'data');
      expect(String(answer)).toMatch(/^HTTP\/1\.1 200 .*\r\nKeep-Alive: timeout=75\r\n/s);
    }
    socket.destroy();
  });
});
