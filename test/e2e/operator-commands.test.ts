import { expect, test } from 'vitest';
import { parseConfig } from '../../src/app/config/config.ts';
import { examine } from '../../src/doctor/examine.ts';
import { botScopes } from '../../src/slack/protocol/scopes.ts';
import { alice, bob, general, random } from '../support/local-slack.ts';
import { startStrictWorld } from './support/strict-world.ts';

const configFile = `
projects: [{ id: acme-docs, name: handbook }]
admins: [${alice}]
channels: { ${general}: { reaction: memo } }
`;
const scopes = botScopes.map(({ name }) => name);
const granted = [...scopes, 'reactions:read'];
const REFUSAL = expect.stringContaining('Only administrators can see this');

async function start(settings = {}) {
  const world = await startStrictWorld({ configFile, settings });
  world.slack.control.grantScopes(granted);
  return Object.assign(world, {
    /** The private answer to the command. */
    ask: async (text: string, user = alice) => {
      await world.command(text, user);
      return (await world.privately(user)).at(-1);
    },
  });
}

test('`doctor` tells administrators, privately, what is wrong; and nobody else (T2)', async () => {
  await using world = await start({ NOTICE_CHANNELS: random });
  const { control } = world.slack;
  expect(await world.ask('doctor', bob)).toEqual(REFUSAL);
  const first = await world.ask('doctor');
  expect(first).toContain('*1 problem*');
  expect(first).toContain(`*Notices* don't reach <#${random}> (not_in_channel)`);
  expect(first).toContain('✅ *Slack* connected\n✅ *Permissions* all granted');
  control.invite(random, 'U0DOCSAGENT');
  expect(await world.ask('doctor')).toMatch(/^🩺 \*All is well\.\*/);
  // The app may not see the emoji that makes drafts.
  control.grantScopes(scopes);
  expect(await world.ask('doctor')).toContain('*Permissions* missing: reactions:read');
  await control.openHome(alice);
  await world.settled();
  expect(JSON.stringify(control.home(alice))).toContain('missing: reactions:read');
  control.grantScopes(granted.filter((name) => name !== 'reactions:write'));
  expect(await world.ask('doctor')).toContain('*Permissions* missing: reactions:write');
  world.api.failAll({ status: 401, body: { error: 'Invalid API key' } });
  await world.command('Document the rate limits');
  await world.settled();
  expect(await world.ask('doctor')).toContain('*Agent* (handbook) has been refusing the key or the project');
  await world.say('doctor', { channel: alice });
  await world.sentPrivately(alice, '*2 problems*');
});

test.each([
  ['get', 'job updates resume at'],
  ['message', 'requests and replies go out again at'],
] as const)(
  '`doctor` says that the agent asks to wait (%s), in Slack and on the machine',
  async (call, words) => {
    await using world = await start({ FOLLOW_UP_WINDOW: '0' });
    const card = await world.working('Document the rate limits');
    world.api.failNext(call, { status: 429, headers: { 'retry-after': '240' } });
    await world.slack.control.reply(card, 'And the retries');
    await world.settled();
    const said = await world.ask('doctor');
    expect(said).toMatch(/^🩺 \*\d problem/);
    expect(said).toContain(`⏳ *Agent* (handbook) asked for a pause: ${words}`);
    const config = parseConfig(world.env, () => configFile);
    const findings = await examine(config, { clock: world.clock, timeoutMs: 5_000 });
    expect(findings.filter(({ check }) => check === 'agent_limit')).toEqual([
      expect.objectContaining({ subject: 'handbook', level: 'warning' }),
    ]);
    await world.clock.advance(300_000);
    expect(await world.ask('doctor')).toContain('*All is well.*');
  },
);

test('`report` tells administrators, privately, what became of the last requests; what only begins with the word is a request (L4, S2)', async () => {
  await using world = await start({ SETTLE_WINDOW: '0' });
  expect(await world.ask('report', bob)).toEqual(REFUSAL);
  expect(await world.ask('report')).toContain('*No requests*');
  const card = await world.working('Document the rate limits');
  world.api.finish(0, { status: 'completed', prLink: 'https://github.com/acme/docs/pull/7' });
  await world.threadMessage(card, 'Pull request ready');
  expect(await world.ask('report')).toContain(
    '\n*1 request* → 1 pull request\nTime to pull request: median ',
  );
  await world.say('report', { channel: alice });
  await world.sentPrivately(alice, 'Type it as a command');
  expect(world.api.jobs).toHaveLength(1);
  await world.command('report the rate limits in the reference');
  await world.started('report the rate limits in the reference');
  expect(await world.ask('reports')).toContain('*Did you mean* `/docs-agent report`?');
});
