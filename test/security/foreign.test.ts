import { afterAll, beforeAll, expect, test } from 'vitest';
import { serveHttp } from '../agent/support.ts';
import { type StrictWorld, startStrictWorld } from '../e2e/support/strict-world.ts';
import { alice, general } from '../support/local-slack.ts';
import { strictApp } from '../support/strict-slack/ids.ts';
import { signedSlackOf } from '../support/strict-slack/signed.ts';

let world: StrictWorld;
beforeAll(async () => {
  world = await startStrictWorld({ mode: 'http' });
});
afterAll(() => world[Symbol.asyncDispose]());

test('what comes from people and channels of another workspace starts nothing', async () => {
  const foreign = signedSlackOf(world, 'T0FOREIGN');
  const at = { channelId: 'C0FOREIGN', userId: 'U0FOREIGN' };
  const refused = await foreign.sendCommand({ ...at, text: 'Write for us' });
  expect(refused.body).toContain('ephemeral');
  const said = { channel: at.channelId, user: at.userId, text: `<@${strictApp.botUserId}> Write for us` };
  const ts = `${Date.now() / 1000}`;
  await foreign.sendEvent({ event: { type: 'app_mention', ...said, ts } });
  await foreign.sendEvent({
    event: { type: 'message', channel_type: 'im', ...said, channel: 'D0FOREIGN', ts },
  });
  await world.settled();
  expect(world.prompts()).toEqual([]);
});

test('the answer to a request goes to Slack only, whatever address comes along', async () => {
  const arrived: string[] = [];
  await using inside = await serveHttp((request, response) => {
    arrived.push(request.url ?? '');
    response.end('ok');
  });
  // Another host than Slack's, though it leads to this machine, too.
  const responseUrl = `http://localhost:${inside.port}/admin`;
  const own = signedSlackOf(world, strictApp.teamId);
  const away = { channelId: 'C0NOTHERE', userId: alice };
  expect((await own.sendCommand({ ...away, text: 'Answer elsewhere', responseUrl })).status).toBe(200);
  const message = { ts: '1.1' };
  const pressed = { channelId: general, userId: alice, message, blockId: 'b', responseUrl };
  for (const actionId of [
    'start_another',
    'choose_messages',
    'follow_up',
    'list_older',
    'show_job',
    'try_again',
  ])
    expect((await own.sendAction({ ...pressed, actionId, value: '{"jobId":"none"}' })).status).toBe(200);
  await world.settled();
  expect(arrived).toEqual([]);
});
