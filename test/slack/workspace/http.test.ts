import { expect, test } from 'vitest';
import { boltLogger, slackClient } from '../../../src/slack/workspace/caller.ts';
import { serveHttp } from '../../agent/support.ts';
import { silentLog } from '../../engine/support/context.ts';

const quiet = boltLogger(silentLog);

test('however many calls there are at once, a hundred are at Slack, and the others follow', async () => {
  let open = 0;
  let mostOpen = 0;
  await using server = await serveHttp((request, response) => {
    request.resume();
    open += 1;
    mostOpen = Math.max(mostOpen, open);
    // All that may be open at once are, once the first is answered.
    setTimeout(() => {
      open -= 1;
      response.end('{"ok":true}');
    }, 100);
  });
  const client = slackClient(`${server.baseUrl}/api/`, quiet);
  const calls = Array.from({ length: 250 }, () => client('auth.test', { token: 'xoxb-1' }));
  expect((await Promise.all(calls)).every(({ ok }) => ok)).toBe(true);
  expect(mostOpen).toBe(100);
});
