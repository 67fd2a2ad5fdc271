import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type StrictWorld, startStrictWorld } from '../e2e/support/strict-world.ts';
import { alice, general } from '../support/local-slack.ts';
import { strictApp } from '../support/strict-slack/ids.ts';

const { signingSecret, teamId } = strictApp;

let world: StrictWorld;
beforeAll(async () => {
  world = await startStrictWorld({ mode: 'http' });
});
afterAll(() => world[Symbol.asyncDispose]());

const nowS = () => Math.floor(Date.now() / 1000);
const command = (text: string) =>
  String(
    new URLSearchParams({
      command: '/docs-agent',
      text,
      team_id: teamId,
      user_id: alice,
      channel_id: general,
      trigger_id: text,
      response_url: `${world.env.SLACK_API_URL}response`,
    }),
  );
const digest = (body: string, timestamp: string | number, secret: string = signingSecret) =>
  createHmac('sha256', secret).update(`v0:${timestamp}:${body}`).digest('hex');

async function send(body: string, headers: Readonly<Record<string, string>>): Promise<number> {
  const url = `http://127.0.0.1:${world.env.PORT}/slack/events`;
  const all = new Headers(headers);
  all.set('content-type', 'application/x-www-form-urlencoded');
  return (await fetch(url, { method: 'POST', headers: all, body })).status;
}

const signed = (timestamp: string | number, signature: string) => ({
  'x-slack-request-timestamp': String(timestamp),
  'x-slack-signature': signature,
});

test.each<[string, (body: string) => Readonly<Record<string, string>>]>([
  ['no signature', () => ({})],
  ['no time', (body) => ({ 'x-slack-signature': `v0=${digest(body, nowS())}` })],
  ['a time that is none', (body) => signed('soon', `v0=${digest(body, 'soon')}`)],
  ['no time but NaN', (body) => signed('NaN', `v0=${digest(body, 'NaN')}`)],
  ['another secret', (body) => signed(nowS(), `v0=${digest(body, nowS(), 'guessed')}`)],
  ['an empty secret', (body) => signed(nowS(), `v0=${digest(body, nowS(), '')}`)],
  ['the signature of another body', () => signed(nowS(), `v0=${digest('command=%2Fdocs-agent', nowS())}`)],
  ['the signature of another time', (body) => signed(nowS(), `v0=${digest(body, nowS() - 1)}`)],
  ['half a signature', (body) => signed(nowS(), `v0=${digest(body, nowS()).slice(0, 32)}`)],
  ['an empty signature', () => signed(nowS(), 'v0=')],
  ['another version', (body) => signed(nowS(), `v1=${digest(body, nowS())}`)],
  ['two signatures', (body) => signed(nowS(), `v0=${'0'.repeat(64)}, v0=${digest(body, nowS())}`)],
  ['a signature of ten minutes ago', (body) => signed(nowS() - 600, `v0=${digest(body, nowS() - 600)}`)],
  ['a signature of ten minutes to come', (body) => signed(nowS() + 600, `v0=${digest(body, nowS() + 600)}`)],
  ['a signature for ever', (body) => signed('Infinity', `v0=${digest(body, 'Infinity')}`)],
])('a command with %s is refused', async (what, headersOf) => {
  const body = command(`Forge with ${what}`);
  expect(await send(body, headersOf(body))).toBe(401);
  await world.settled(2_000);
  expect(world.prompts()).toEqual([]);
});

test('what is smuggled in beside the one word that needs no signature is not looked at', async () => {
  expect(await send(`${command('Smuggle it in')}&ssl_check=1`, {})).toBe(200);
  expect(await send('ssl_check=1&payload=%7B%22type%22%3A%22block_actions%22%7D', {})).toBe(200);
  await world.settled(2_000);
  expect(world.prompts()).toEqual([]);
});

test('a request that is replayed, byte for byte, changes nothing', async () => {
  const body = command('Only once');
  const headers = signed(nowS(), `v0=${digest(body, nowS())}`);
  for (let time = 0; time < 5; time += 1) expect(await send(body, headers)).toBe(200);
  await world.started('Only once');
  await world.settled();
  expect(world.prompts()).toEqual([['Only once']]);
});
