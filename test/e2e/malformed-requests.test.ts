import { afterAll, beforeAll, expect, test } from 'vitest';
import { alice, general } from '../support/local-slack.ts';
import type { SignedSlack } from '../support/signed-slack.ts';
import { signedSlackOf } from '../support/strict-slack/signed.ts';
import { type StrictWorld, startStrictWorld } from './support/strict-world.ts';

const FORM = 'application/x-www-form-urlencoded';
const FIVE_MIB = 5 * 1024 * 1024;

let world: StrictWorld;
let signed: SignedSlack;
beforeAll(async () => {
  world = await startStrictWorld({ mode: 'http' });
  signed = signedSlackOf(world);
});
afterAll(() => world[Symbol.asyncDispose]());

test.each([
  ['application/json', 'null'],
  ['application/json', '[]'],
  ['application/json', '[{"type":"event_callback"}]'],
  ['application/json', '"event_callback"'],
  ['application/json', '42'],
  ['application/json', 'true'],
  ['application/json', '{"type":'],
  ['application/json', ''],
  [FORM, 'payload=null'],
  [FORM, 'payload=%5B%5D'],
  [FORM, 'payload=7'],
])('what is signed but is no object is refused at once: %s %s', async (contentType, body) => {
  const startedAtMs = performance.now();
  expect(await signed.send(contentType, body)).toEqual({ status: 400, body: '' });
  // Bolt would wait for three seconds.
  expect(performance.now() - startedAtMs).toBeLessThan(2_500);
});

test('what is not signed by Slack is refused as such, whatever it is, and so is what is too large', async () => {
  for (const body of ['null', '{"type":"url_verification","challenge":"x"}'])
    expect((await signed.send('application/json', body, { signature: 'wrong' })).status).toBe(401);
  expect((await signed.send('application/json', `"${'x'.repeat(FIVE_MIB)}"`)).status).toBe(413);
});

test('what is well formed is taken in as ever', async () => {
  const challenge = await signed.send('application/json', '{"type":"url_verification","challenge":"x"}');
  expect(challenge).toEqual({ status: 200, body: '{"challenge":"x"}' });
  expect((await signed.send(FORM, 'ssl_check=1', { signature: 'wrong' })).status).toBe(200);
  const command = { channelId: general, userId: alice, text: 'Document it' };
  expect((await signed.sendCommand(command)).status).toBe(200);
  await world.started('Document it');
});
