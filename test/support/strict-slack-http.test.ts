import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { verifySlackRequest } from '@slack/bolt';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readAll } from './fault-proxy/forward.ts';
import { alice, general } from './local-slack.ts';
import { type StrictSlack, startStrictSlack } from './strict-slack.ts';
import { createTestClock, type TestClock } from './test-clock.ts';

interface Replica {
  readonly url: string;
  readonly requests: { readonly headers: IncomingHttpHeaders; readonly body: string }[];
  answer: { readonly status: number; readonly body?: string };
}

const closing: (() => void)[] = [];
let clock: TestClock;
let slack: StrictSlack;
let first: Replica;
let second: Replica;

async function startReplica(): Promise<Replica> {
  const replica: Replica = { url: '', requests: [], answer: { status: 200 } };
  const server = createServer(async (request, response) => {
    replica.requests.push({ headers: request.headers, body: (await readAll(request)).toString() });
    response.writeHead(replica.answer.status).end(replica.answer.body);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closing.push(() => server.close().closeAllConnections());
  return Object.assign(replica, {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/slack/events`,
  });
}

beforeEach(async () => {
  clock = createTestClock(Date.now());
  [first, second] = [await startReplica(), await startReplica()];
  const app = { mode: 'events', requestUrls: [first.url, second.url] } as const;
  slack = await startStrictSlack({ clock, app });
});
afterEach(async () => {
  await slack[Symbol.asyncDispose]();
  for (const close of closing.splice(0)) close();
});

const hello = { channel: general, user: alice, text: 'a & b' };

test('requests are signed, and go to the replicas in turn', async () => {
  await slack.control.message(hello);
  await slack.control.command(hello);
  const [event] = first.requests;
  const [command] = second.requests;
  expect(event?.headers['content-type']).toBe('application/json');
  expect(command?.headers['content-type']).toBe('application/x-www-form-urlencoded');
  expect(new URLSearchParams(command?.body).get('text')).toBe('a & b');
  for (const request of [event, command]) {
    if (request === undefined) throw new Error('no request');
    verifySlackRequest({
      signingSecret: slack.signingSecret,
      body: request.body,
      headers: {
        'x-slack-signature': String(request.headers['x-slack-signature']),
        'x-slack-request-timestamp': Number(request.headers['x-slack-request-timestamp']),
      },
    });
  }
});

test('an event that is answered with an error comes again, marked as a retry', async () => {
  first.answer = { status: 500 };
  await slack.control.message(hello);
  await clock.advance(0);
  await expect.poll(() => second.requests.length, { message: 'the retry' }).toBe(1);
  expect(first.requests[0]?.headers).not.toHaveProperty('x-slack-retry-num');
  expect(second.requests[0]?.headers).toMatchObject({
    'x-slack-retry-num': '1',
    'x-slack-retry-reason': 'http_error',
  });
  expect(second.requests[0]?.body).toBe(first.requests[0]?.body);
  await expect.poll(() => slack.inFlight(), { message: 'all answers' }).toBe(0);
  await clock.advance(3_600_000);
  expect(slack.deliveries()).toHaveLength(2);
});

test('a command returns with the bot’s answer, and is not repeated', async () => {
  first.answer = { status: 200, body: JSON.stringify({ text: 'So it goes' }) };
  expect(await slack.control.command(hello)).toEqual({ acknowledged: true, payload: { text: 'So it goes' } });
  second.answer = { status: 404 };
  expect(await slack.control.command(hello)).toEqual({ acknowledged: false, payload: null });
  for (const close of closing.splice(0)) close();
  expect(await slack.control.command(hello)).toEqual({ acknowledged: false, payload: null });
  await clock.advance(3_600_000);
  expect(slack.deliveries()).toHaveLength(3);
});
