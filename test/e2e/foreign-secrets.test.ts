import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { includes, some } from '../support/is.ts';
import { general, random } from '../support/local-slack.ts';
import { strictApp } from '../support/strict-slack/ids.ts';
import { startStrictWorld } from './support/strict-world.ts';

const hush = 'Hush1hush2Hush3hush4';
const link = 'https://github.com/acme/docs/pull/14';
const withToken = `https://x-access-token:ghp_${hush}@github.com/acme/docs`;

async function start() {
  const world = await startStrictWorld({ settings: { NOTICE_CHANNELS: random } });
  const { slack, log, env } = world;
  slack.control.invite(random, strictApp.botUserId);
  return Object.assign(world, {
    /** What the agent says of its job from now on. */
    says: (job: object, count = 200) => {
      const body = { id: world.api.jobs[0]?.id, ...job };
      world.api.failNext('get', ...Array.from({ length: count }, () => ({ status: 200, body })));
    },
    /** All that anybody can read of it: in Slack, in the log, in the store. */
    everywhere: async (): Promise<string> => {
      const shown = [await slack.control.messages(general), await slack.control.messages(random)];
      const dir = env.DATA_DIR ?? '';
      const stored = readdirSync(dir).map((file) => readFileSync(join(dir, file), 'latin1'));
      return [JSON.stringify(shown), ...log, ...stored].join('\n');
    },
  });
}

test('a secret in the address of a pull request is told to nobody, and the rest is a link (E3)', async () => {
  await using world = await start();
  const card = await world.ask('Add a quickstart');
  const source = { repository: `${withToken}.git`, ref: `a-ghp_${hush}` };
  world.says({ status: 'completed', prLink: `${withToken}/pull/14?private_token=${hush}`, source });
  const end = await world.threadMessage(card, 'Pull request ready');
  const [notice] = await world.later(() => world.slack.control.messages(random), some, 'the notice');
  for (const said of [end, notice]) expect(said?.text).toContain(`<${link}|acme/docs#14>`);
  await world.clock.advance(60_000);
  const all = await world.everywhere();
  expect(all).not.toContain(hush);
  expect(all).toContain('https://github.com/acme/docs.git');
});

test('a secret that cannot be taken out of an address, in a status, or in a refusal is told to nobody, nor linked (E3)', async () => {
  await using world = await start();
  const card = await world.ask('Add a quickstart');
  world.says({ status: `waiting for Bearer ${hush}` }, 20);
  await world.shows(card, 'waiting for Bearer [redacted]');
  world.api.failNext('create', {
    status: 400,
    body: { error: `cannot clone ${withToken}: test-key is wrong` },
  });
  await world.command('Add a glossary');
  await world.later(world.everywhere, includes('Not accepted'), 'the refusal');
  expect(await world.everywhere()).toContain(
    'cannot clone https://[redacted]@github.com/acme/docs: … is wrong',
  );
  world.api.finish(0, { status: 'completed', prLink: `https://github.com/acme/docs/pull/ghp%5F${hush}` });
  const end = await world.threadMessage(card, 'Pull request');
  expect(JSON.stringify(end.blocks)).toContain('github.com/acme/docs/pull/ghp-[redacted]');
  expect(JSON.stringify(end.blocks)).not.toContain('"url"');
  expect(await world.everywhere()).not.toContain(hush);
});
