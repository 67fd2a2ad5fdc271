import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { failureOf, openClient, serveHttp, serveTcp } from './support.ts';

const notSent = { outcome: 'definite', reason: 'unreachable', status: null };
const job = JSON.stringify({ id: 'job_1', status: 'active' });

describe('connections', () => {
  test('reads at the same time use a bounded number', async () => {
    await using server = await serveHttp((_, response) => response.end(job));
    await using client = openClient(server.baseUrl);
    await Promise.all(Array.from({ length: 200 }, () => client.getJob('p', 'x')));
    expect(server.sockets.length).toBeLessThanOrEqual(64);
  });

  test('each prompt has its own, for a kept one may break as the prompt goes out', async () => {
    await using server = await serveHttp((_, response) => response.end(job));
    await using client = openClient(server.baseUrl);
    await client.createJob('p', 'a');
    await client.createJob('p', 'a');
    await client.sendMessage('p', 'x', 'a');
    expect(server.sockets).toHaveLength(3);
  });

  test('closing breaks off the calls under way, whose fate is unknown then, and refuses later ones', async () => {
    const asked = Promise.withResolvers<void>();
    await using server = await serveHttp(() => asked.resolve());
    const client = openClient(server.baseUrl);
    const failed = failureOf(client.createJob('p', 'a'));
    await asked.promise;
    await client.close();
    expect(await failed).toMatchObject({ outcome: 'unknown', reason: 'unreachable' });
    expect(await failureOf(client.createJob('p', 'a'))).toMatchObject(notSent);
  });
});

describe('a prompt that did not go out surely had no effect', () => {
  test('the program was frozen while it connected: when it wakes, the prompt is not sent any more', async () => {
    let requests = 0;
    await using server = await serveHttp((_, response) => {
      requests += 1;
      response.end(job);
    });
    await using client = openClient(server.baseUrl);
    vi.useFakeTimers({ toFake: ['Date'] });
    onTestFinished(() => void vi.useRealTimers());
    const failed = failureOf(client.createJob('p', 'a'));
    vi.setSystemTime(Date.now() + 5_001);
    expect(await failed).toMatchObject(notSent);
    expect(requests).toBe(0);
  });

  test('the other side does not speak TLS: three attempts are made', async () => {
    let requests = 0;
    await using server = await serveHttp(() => {
      requests += 1;
    });
    await using client = openClient(`https://127.0.0.1:${server.port}`);
    expect(await failureOf(client.createJob('p', 'a'))).toMatchObject(notSent);
    expect(server.sockets).toHaveLength(3);
    expect(requests).toBe(0);
  });

  test('the other side never ends the TLS handshake', async () => {
    await using server = await serveTcp(() => {});
    await using client = openClient(`https://127.0.0.1:${server.port}`, { timeoutMs: 150 });
    const startMs = performance.now();
    expect(await failureOf(client.createJob('p', 'a'))).toMatchObject({
      ...notSent,
      message: 'no connection to the agent API in time',
    });
    expect(performance.now() - startMs).toBeLessThan(2_000);
  });

  test('all connections are taken until the time is over', async () => {
    const received: string[] = [];
    await using server = await serveHttp((request) => {
      request.setEncoding('utf8').on('data', (body: string) => received.push(JSON.parse(body).prompt));
    });
    await using client = openClient(server.baseUrl, { timeoutMs: 1_000 });
    const prompts = Array.from({ length: 100 }, (_, index) => `prompt ${index}`);
    const failures = await Promise.all(prompts.map((prompt) => failureOf(client.createJob('p', prompt))));
    const held = prompts.filter((_, index) => failures[index]?.outcome === 'definite');
    expect(held.length).toBeGreaterThan(0);
    expect(received.length).toBeGreaterThan(0);
    expect(received.filter((prompt) => held.includes(prompt))).toEqual([]);
  });
});
