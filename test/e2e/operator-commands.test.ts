import { expect, test } from 'vitest';
import { parseConfig } from '../../src/app/config/config.ts';
import { examine } from '../../src/doctor/examine.ts';
import { botScopes } from '../../src/slack/protocol/scopes.ts';
import { alice, bob, general, random } from '../support/local-slack.ts';
import { startStrictWorld } from './support/strict-world.ts';

const configFile = `
projects:
  - id: acme-docs
    name: handbook
admins: [${alice}]
`;

test('`doctor` and the Home tab say if the app may not see the emoji that makes drafts (T2)', async () => {
  await using world = await startStrictWorld({
    configFile: `${configFile}\nchannels: { ${general}: { reaction: memo } }`,
  });
  const { control } = world.slack;
  const ask = async () => {
    await control.command({ channel: general, user: alice, text: 'doctor' });
    return (await control.messages(general)).findLast(({ subtype }) => subtype === 'ephemeral')?.text;
  };
  await control.openHome(alice);
  await world.settled();
  expect(JSON.stringify(control.home(alice))).toContain('missing: reactions:read');
  expect(await ask()).toContain('*Permissions* missing: reactions:read');
  control.grantScopes([...botScopes.map(({ name }) => name), 'reactions:read']);
  expect(await ask()).toContain('*Permissions* all granted');
});

test('`doctor` tells administrators, privately, what is wrong; and nobody else (issue 15, 5)', async () => {
  await using world = await startStrictWorld({ configFile, settings: { NOTICE_CHANNELS: random } });
  const { control } = world.slack;
  const ask = async (user: string) => {
    await control.command({ channel: general, user, text: 'doctor' });
    return (await control.messages(general)).findLast(({ subtype }) => subtype === 'ephemeral');
  };
  expect(await ask(bob)).toMatchObject({
    ephemeral_to: bob,
    text: expect.stringContaining('Only administrators can see this'),
  });
  const first = await ask(alice);
  expect(first?.ephemeral_to).toBe(alice);
  expect(first?.text).toContain('*1 problem*');
  expect(first?.text).toContain(`*Notices* don't reach <#${random}> (not_in_channel)`);
  expect(first?.text).toContain('✅ *Slack* connected\n✅ *Permissions* all granted');
  control.invite(random, 'U0DOCSAGENT');
  expect((await ask(alice))?.text).toMatch(/^🩺 \*All is well\.\*/);
  control.grantScopes(botScopes.map(({ name }) => name).filter((name) => name !== 'reactions:write'));
  expect((await ask(alice))?.text).toContain('*Permissions* missing: reactions:write');
  world.api.failAll({ status: 401, body: { error: 'Invalid API key' } });
  await control.command({ channel: general, user: alice, text: 'Document the rate limits' });
  await world.settled();
  expect((await ask(alice))?.text).toContain('*Agent* (handbook) has been refusing the key or the project');
  await control.message({ channel: alice, user: alice, text: 'doctor' });
  await world.sentPrivately(alice, '*2 problems*');
});

test.each([
  ['get', 'reads', 'job updates resume at'],
  ['message', 'calls', 'requests and replies go out again at'],
] as const)(
  '`doctor` says that the agent asks to wait (%s), in Slack and on the machine',
  async (call, _what, words) => {
    await using world = await startStrictWorld({ configFile, settings: { FOLLOW_UP_WINDOW: '0' } });
    const { control } = world.slack;
    const card = await world.working('Document the rate limits');
    world.api.failNext(call, { status: 429, headers: { 'retry-after': '240' } });
    await control.reply(card, 'And the retries');
    await world.settled();
    await control.command({ channel: general, user: alice, text: 'doctor' });
    const said = await world.sentPrivately(general, 'asked for a pause');
    expect(said.text).toMatch(/^🩺 \*\d problem/);
    expect(said.text).toContain(`⏳ *Agent* (handbook) asked for a pause: ${words}`);
    const config = parseConfig(world.env, () => configFile);
    const findings = await examine(config, { clock: world.clock, timeoutMs: 5_000 });
    expect(findings.filter(({ check }) => check === 'agent_limit')).toEqual([
      expect.objectContaining({ subject: 'handbook', level: 'warning' }),
    ]);
    await world.clock.advance(300_000);
    await control.command({ channel: general, user: alice, text: 'doctor' });
    await world.sentPrivately(general, '*All is well.*');
  },
);

test('`report` tells administrators, privately, what became of the last requests; and nobody else (L4)', async () => {
  await using world = await startStrictWorld({ configFile, settings: { SETTLE_WINDOW: '0' } });
  const { control } = world.slack;
  const ask = async (user: string) => {
    await control.command({ channel: general, user, text: 'report' });
    return (await control.messages(general)).findLast(({ subtype }) => subtype === 'ephemeral');
  };
  expect(await ask(bob)).toMatchObject({
    ephemeral_to: bob,
    text: expect.stringContaining('Only administrators can see this'),
  });
  expect((await ask(alice))?.text).toContain('*No requests*');
  const card = await world.working('Document the rate limits');
  world.api.finish(0, {
    status: 'completed',
    prLink: 'https://github.com/acme/docs/pull/7',
  });
  await world.threadMessage(card, 'Pull request ready');
  const answer = await ask(alice);
  expect(answer?.ephemeral_to).toBe(alice);
  expect(answer?.text).toContain('\n*1 request* → 1 pull request\nTime to pull request: median ');
  expect(world.api.jobs).toHaveLength(1);

  await control.message({ channel: alice, user: alice, text: 'report' });
  await world.sentPrivately(alice, 'Type it as a command');
});

test('a request that begins with the word is a request, and a slip is asked about (L4, S2)', async () => {
  await using world = await startStrictWorld({ configFile });
  const { control } = world.slack;
  await control.command({ channel: general, user: alice, text: 'report the rate limits in the reference' });
  await world.started('report the rate limits in the reference');
  await control.command({ channel: general, user: alice, text: 'reports' });
  await world.sentPrivately(general, '*Did you mean* `/docs-agent report`?');
});
