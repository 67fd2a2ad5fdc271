import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { sendLoad } from '../../bench/support/load.ts';

async function listen(listener: RequestListener): Promise<number> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return (server.address() as AddressInfo).port;
}

const request = { headers: {}, body: 'a command' };

test('so many requests are under way as are asked for, and no more than so many are sent', async () => {
  let underWay = 0;
  let most = 0;
  const port = await listen((_request, response) => {
    underWay += 1;
    most = Math.max(most, underWay);
    // Answered once all four are there.
    if (underWay === 4) waiting.resolve();
    void waiting.promise.then(() => response.end(() => (underWay -= 1)));
  });
  const waiting = Promise.withResolvers<void>();
  const result = await sendLoad({ port, next: () => request, atOnce: 4, until: { count: 12 } });
  expect(result.answers).toBe(12);
  expect(result.latenciesMs).toHaveLength(12);
  expect(most).toBe(4);
});

test('a request that is not acknowledged ends the bench', async () => {
  const port = await listen((_request, response) => response.writeHead(503).end());
  await expect(sendLoad({ port, next: () => request, atOnce: 1, until: { count: 1 } })).rejects.toThrow(
    'a request was answered with 503',
  );
});
