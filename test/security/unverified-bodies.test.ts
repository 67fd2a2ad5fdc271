import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createBodyReader } from '../../src/runtime/http-server.ts';
import { type StrictWorld, startStrictWorld } from '../e2e/support/strict-world.ts';
import { alice, general } from '../support/local-slack.ts';
import { signedSlackOf } from '../support/strict-slack/signed.ts';
import { waitFor } from '../support/wait-for.ts';

const MIB = 1024 * 1024;
const CAP_BYTES = 32 * MIB;
/** What else a process takes up meanwhile. */
const SLACK_BYTES = 24 * MIB;

const configFile = [
  'projects: [{ id: acme-docs }]',
  'recipes:',
  `  - { name: notes, channel: ${general}, request: Go, webhook: { secret_env: HOOK_SECRET } }`,
].join('\n');

let world: StrictWorld;
beforeAll(async () => {
  const settings = { HOOK_SECRET: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw' };
  world = await startStrictWorld({ mode: 'http', configFile, settings });
});
afterAll(() => world[Symbol.asyncDispose]());

const nowS = () => Math.floor(Date.now() / 1000);
/** Anybody can write these. */
const plausible = (timestamp: string | number = nowS()) => [
  `X-Slack-Request-Timestamp: ${timestamp}`,
  `X-Slack-Signature: v0=${'0'.repeat(64)}`,
];
const hookHeaders = (timestamp: string | number = nowS()) => [
  'Webhook-Id: 1',
  `Webhook-Timestamp: ${timestamp}`,
  `Webhook-Signature: v1,${'A'.repeat(43)}=`,
];

interface Start {
  readonly port?: number;
  readonly path?: string;
  readonly type?: string;
  readonly length?: number | null;
  readonly headers?: readonly string[];
}

/** Sends the headers of a request whose body never ends, and as much of the body as is given. */
function begin(start: Start) {
  const { path = '/slack/events', type = 'application/json', length = MIB, headers = [] } = start;
  const socket = connect(start.port ?? world.service.port, '127.0.0.1').on('error', () => {});
  const size = length === null ? 'Transfer-Encoding: chunked' : `Content-Length: ${length}`;
  socket.write(
    [`POST ${path} HTTP/1.1`, 'Host: x', `Content-Type: ${type}`, size, ...headers, '', ''].join('\r\n'),
  );
  return socket;
}

const statusOf = async (socket: Socket) => /^HTTP\/1\.1 (\d+)/.exec(await text(socket))?.[1];

test.each<[string, string, Start]>([
  ['no signature', '401', {}],
  ['no time', '401', { headers: plausible().slice(1) }],
  ['half a signature', '401', { headers: [...plausible().slice(0, 1), 'X-Slack-Signature: v0=12'] }],
  ['a time of long ago', '401', { headers: plausible(nowS() - 301) }],
  ['a time to come', '401', { headers: plausible(nowS() + 3_600) }],
  ['a time that is none', '401', { headers: plausible('soon') }],
  ['a form without signature that may be anything', '401', { type: 'application/x-www-form-urlencoded' }],
  ['a form of unknown length', '401', { type: 'application/x-www-form-urlencoded', length: null }],
  ['a length beyond the limit', '413', { length: MIB + 1, headers: plausible() }],
  ['a webhook without signature', '401', { path: '/hooks/notes', length: 1000 }],
  [
    'a webhook whose signature is none',
    '401',
    {
      path: '/hooks/notes',
      length: 1000,
      headers: [...hookHeaders().slice(0, 2), 'Webhook-Signature: v1,12'],
    },
  ],
  ['a webhook of long ago', '401', { path: '/hooks/notes', length: 1000, headers: hookHeaders(1) }],
  ['a webhook beyond the limit', '413', { path: '/hooks/notes', headers: hookHeaders() }],
])('%s is refused before a byte of the body has arrived', async (_what, status, start) => {
  const startedAtMs = performance.now();
  expect(await statusOf(begin(start))).toBe(status);
  // Node gives up a slow request after ten seconds.
  expect(performance.now() - startedAtMs).toBeLessThan(5_000);
});

describe('many connections that hold back the end of their body', () => {
  const FIRST_PART = Buffer.alloc(MIB - 1024, 'x');

  test.each<[string, Start, Buffer]>([
    ['in large pieces', { headers: plausible() }, FIRST_PART],
    ['without a length', { headers: plausible(), length: null }, chunked(FIRST_PART, 64 * 1024)],
  ])('take up no more than is set aside for all, and keep nobody out: %s', async (_what, start, body) => {
    const before = memory();
    let peak = before;
    let refused = 0;
    const sockets = Array.from({ length: 60 }, () => {
      const socket = begin({ ...start, headers: plausible() });
      socket.write(body);
      socket.on('data', (data) => {
        if (data.includes('HTTP/1.1 503')) refused += 1;
      });
      return socket;
    });
    const signed = signedSlackOf(world);
    const request = { channelId: general, userId: alice, text: 'help' };
    await waitFor(
      async () => {
        peak = Math.max(peak, memory());
        expect((await signed.sendCommand(request)).status).toBe(200);
        return refused;
      },
      (count) => count > 20,
      { what: 'refused requests' },
    );
    for (const socket of sockets) socket.destroy();
    await Promise.all(sockets.map((socket) => socket.closed || once(socket, 'close')));
    expect(peak - before).toBeLessThan(CAP_BYTES + SLACK_BYTES);
  });
});

test('a piece of a body counts as what it takes up, however small it is', async () => {
  const bodies = createBodyReader(64 * 1024);
  const server = createServer((request, response) => {
    void bodies.read(request, MIB).then((content) => {
      response.writeHead('status' in content ? content.status : 200, { connection: 'close' }).end();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const sockets = Array.from({ length: 10 }, () => {
    const socket = begin({ port, length: null });
    socket.write(chunked(Buffer.alloc(100), 1));
    return socket;
  });
  const statuses = await Promise.all(sockets.slice(0, 7).map(statusOf));
  expect(statuses).toEqual(statuses.map(() => '503'));
  for (const socket of sockets) socket.end('0\r\n\r\n');
  expect(await Promise.all(sockets.slice(8).map(statusOf))).toEqual(['200', '200']);
  server.close();
});

function chunked(body: Buffer, size: number): Buffer {
  const pieces: Buffer[] = [];
  for (let at = 0; at < body.length; at += size) {
    const piece = body.subarray(at, at + size);
    pieces.push(Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from('\r\n'));
  }
  return Buffer.concat(pieces);
}

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

function memory(): number {
  collectGarbage();
  const { arrayBuffers, heapUsed } = process.memoryUsage();
  return arrayBuffers + heapUsed;
}
