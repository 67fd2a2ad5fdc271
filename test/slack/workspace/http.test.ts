import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { createLogger } from '../../../src/app/operations/logger.ts';
import { boltLogger, slackClient } from '../../../src/slack/workspace/caller.ts';

const quiet = boltLogger(createLogger({ level: 'error', destination: { write: () => {} } }));

test('however many calls there are at once, a hundred are at Slack, and the others follow', async () => {
  let open = 0;
  let mostOpen = 0;
  const server = createServer((request, response) => {
    request.resume();
    open += 1;
    mostOpen = Math.max(mostOpen, open);
    // All that may be open at once are, once the first is answered.
    setTimeout(() => {
      open -= 1;
      response.end('{"ok":true}');
    }, 100);
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close().closeAllConnections());
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  const client = slackClient(`http://127.0.0.1:${port}/api/`, quiet);
  const calls = Array.from({ length: 250 }, () => client('auth.test', { token: 'xoxb-1' }));
  expect((await Promise.all(calls)).every(({ ok }) => ok)).toBe(true);
  expect(mostOpen).toBe(100);
});
