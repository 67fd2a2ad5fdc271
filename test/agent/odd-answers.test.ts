import type { ServerResponse } from 'node:http';
import { describe, expect, test } from 'vitest';
import { ANSWER_MAX_BYTES } from '../../src/agent/client.ts';
import { createTestClock } from '../support/test-clock.ts';
import { failureOf, openClient, serveHttp } from './support.ts';

const job = { id: 'job_1', status: 'completed', prLink: 'https://example.com/1' };
const nothing = { repository: null, ref: null, model: null, prLink: null };

function answer(response: ServerResponse, status: number, body: unknown, headers = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(typeof body === 'string' ? body : JSON.stringify(body));
}

test('a service that announces its end is logged once a day', async () => {
  const headers = { deprecation: '@1785542400', sunset: 'Sun, 31 Jan 2027 00:00:00 GMT' };
  await using server = await serveHttp((_, response) => answer(response, 200, job, headers));
  const clock = createTestClock(1_795_000_000_000);
  const logged: unknown[] = [];
  const log = { warn: (...line: unknown[]) => void logged.push(line) };
  await using client = openClient(server.baseUrl, { clock, log });
  await client.getJob('p', 'job_1');
  await client.getJob('p', 'job_1');
  const says = 'deprecation: @1785542400, sunset: Sun, 31 Jan 2027 00:00:00 GMT';
  expect(logged).toEqual([['agent_api_ends', { project: 'p', says }]]);
  await clock.advance(86_400_000);
  await client.getJob('p', 'job_1');
  expect(logged).toHaveLength(2);
});

describe('an answer that lacks things', () => {
  test('facts that are missing, null or of a wrong type are unknown facts', async () => {
    const body = { ...job, prLink: { href: 'x' }, model: 7, source: ['main'], createdAt: 0, extra: {} };
    await using server = await serveHttp((_, response) => answer(response, 200, body));
    await using client = openClient(server.baseUrl);
    expect(await client.getJob('p', 'job_1')).toEqual({ id: 'job_1', status: 'completed', ...nothing });
  });

  test('a job without a status is active, and a read job without an id is the one asked for', async () => {
    await using server = await serveHttp((_, response) => answer(response, 201, { id: 'job_1', status: 3 }));
    await using client = openClient(server.baseUrl);
    const active = { id: 'job_1', status: 'active', ...nothing };
    expect(await client.createJob('p', 'a')).toEqual(active);
    expect(await client.sendMessage('p', 'job_1', 'a')).toEqual(active);
    expect(await client.getJob('p', 'job_1')).toEqual(active);
  });

  test('a read answer that has no field of a job is none', async () => {
    await using server = await serveHttp((_, response) => answer(response, 200, { success: true }));
    await using client = openClient(server.baseUrl);
    expect(await failureOf(client.getJob('p', 'job_1'))).toMatchObject({
      outcome: 'unknown',
      reason: 'bad_answer',
    });
  });

  test('a message is accepted with any JSON object, a create only with a job id', async () => {
    await using server = await serveHttp((_, response) => answer(response, 200, { success: true }));
    await using client = openClient(server.baseUrl);
    expect(await client.sendMessage('p', 'job_1', 'a')).toBeNull();
    expect(await failureOf(client.createJob('p', 'a'))).toEqual({
      outcome: 'unknown',
      reason: 'bad_answer',
      status: 200,
      message: 'the answer of the agent API (200) is not a job',
      retryAfterMs: null,
    });
  });

  test.each(['', 'null', '[]', '"ok"', '{"id":', '<html>'])(
    'a message is not accepted with %j',
    async (body) => {
      await using server = await serveHttp((_, response) => answer(response, 200, body));
      await using client = openClient(server.baseUrl);
      expect(await failureOf(client.sendMessage('p', 'job_1', 'a'))).toMatchObject({
        outcome: 'unknown',
        reason: 'bad_answer',
        status: 200,
      });
    },
  );
});

describe('an answer that is not the API’s', () => {
  test('a refusal that breaks off is still a refusal', async () => {
    await using server = await serveHttp((_, response) => {
      response.writeHead(404, { 'content-length': 100 });
      response.write('{', () => response.destroy());
    });
    await using client = openClient(server.baseUrl);
    expect(await failureOf(client.createJob('p', 'a'))).toMatchObject({
      outcome: 'definite',
      reason: 'no_such_path',
    });
  });

  test.each([301, 302, 307, 308])('a redirect (%i) is not followed', async (status) => {
    const paths: (string | undefined)[] = [];
    await using server = await serveHttp((request, response) => {
      paths.push(request.url);
      answer(response, status, '', { location: '/elsewhere' });
    });
    await using client = openClient(server.baseUrl);
    expect(await failureOf(client.getJob('p', 'x'))).toMatchObject({
      outcome: 'definite',
      reason: 'rejected',
    });
    expect(paths).toEqual(['/v2/agent/p/job/x']);
  });

  test('an answer as large as the limit is read, a larger one is not', async () => {
    const sizes = [ANSWER_MAX_BYTES, ANSWER_MAX_BYTES + 1];
    await using server = await serveHttp((_, response) => {
      answer(response, 201, JSON.stringify(job).padEnd(sizes.shift() ?? 0));
    });
    await using client = openClient(server.baseUrl);
    expect(await client.createJob('p', 'a')).toMatchObject({ id: 'job_1' });
    expect(await failureOf(client.createJob('p', 'a'))).toMatchObject({ reason: 'bad_answer', status: 201 });
  });
});

describe('the time limit', () => {
  test('bounds an answer that comes in drops', async () => {
    await using server = await serveHttp((_, response) => {
      response.writeHead(201);
      const drip = setInterval(() => response.write(' '), 20);
      response.on('close', () => clearInterval(drip));
    });
    await using client = openClient(server.baseUrl, { timeoutMs: 400 });
    const startMs = performance.now();
    expect(await failureOf(client.createJob('p', 'a'))).toMatchObject({
      outcome: 'unknown',
      reason: 'unreachable',
      status: 201,
    });
    expect(performance.now() - startMs).toBeLessThan(2_000);
  });
});

describe('addresses', () => {
  test('ids cannot reach another address, whatever is in them', async () => {
    const paths: (string | undefined)[] = [];
    await using server = await serveHttp((request, response) => {
      paths.push(request.url);
      answer(response, 200, job);
    });
    await using client = openClient(server.baseUrl);
    await client.getJob('a/b', '../x?y#z %\ud800');
    expect(paths).toEqual(['/v2/agent/a%2Fb/job/..%2Fx%3Fy%23z%20%25%EF%BF%BD']);
  });
});
