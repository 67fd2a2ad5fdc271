import { describe, expect, test } from 'vitest';
import { includes, some } from '../support/is.ts';
import { alice, bob, general, random } from '../support/local-slack.ts';
import { type StrictWorld, startStrictWorld } from './support/strict-world.ts';

const guest = 'U0GUEST';
const stranger = 'U0STRANGER';
const carol = 'U0CAROL';
const GROUP = 'S0WRITERS';
const bot = '<@U0DOCSAGENT>';
const REFUSAL = 'allowed. Ask an administrator';

/** With a guest, and a person of another workspace, in `general`. */
async function start(configFile = 'access: {}'): Promise<StrictWorld> {
  // With people of another workspace in it, the channel is a shared one.
  const open = configFile.replace('access: {', `access: { shared_channels: [${general}],`);
  const world = await startStrictWorld({ configFile: open });
  const { control } = world.slack;
  control.addUser({ id: guest, name: 'gina', isRestricted: true });
  control.addUser({ id: stranger, name: 'sam', teamId: 'T0ELSEWHERE' });
  control.addUser({ id: carol, name: 'carol' });
  for (const person of [guest, stranger, carol]) control.invite(general, person);
  return world;
}

/** Whether the command of this person starts a job, or what is answered. */
async function asked(world: StrictWorld, user: string, channel = general): Promise<string> {
  const { payload } = await world.command(`Prompt of ${user}`, user, channel);
  const told = (payload as { text?: string } | null)?.text;
  if (told !== undefined) return told;
  const cards = async () => (await world.slack.control.messages(channel)).map(({ text }) => text).join('\n');
  await world.later(cards, includes(`Prompt of ${user}`), 'a card');
  return 'started';
}

/** Slack does not say who somebody is, or only not who this one is. */
const hidePeople = ({ slack }: StrictWorld, error = 'internal_error', who?: string) =>
  slack.onCall(({ method, args }) =>
    method === 'users.info' && (who === undefined || args.user === who) ? { error } : null,
  );

const firstPrompts = ({ api }: StrictWorld) => api.jobs[0]?.prompts ?? [];

describe('without a word about access, the program is for the people of the workspace (A1)', () => {
  test('guests and people from other workspaces read why by every door, and start nothing', async () => {
    await using world = await start();
    const { control } = world.slack;
    expect(await asked(world, stranger)).toContain('only members of this workspace');
    const root = await world.say('The limits are unclear', { user: bob });
    const user = guest;
    const doors: Record<string, () => Promise<unknown>> = {
      command: () => world.command('Document my page', user),
      'watch a job': () => world.command('watch job_1', user),
      'open the form': () => world.command('', user),
      mention: () => world.say(`${bot} Document my page`, { user }),
      'mention in a thread': () => world.say(`${bot} Document this`, { user, threadTs: root.ts }),
      shortcut: () => control.shortcut({ message: root, user, callbackId: 'ask_docs_agent' }),
      'direct message': () => world.say('Document my page', { user, channel: user }),
    };
    for (const [door, ask] of Object.entries(doors)) {
      const told = async () =>
        [...(await world.privately(user)), ...(await world.privately(user, user))].filter(includes(REFUSAL));
      const { length } = await told();
      await ask();
      await expect.poll(told, { message: door }).toHaveLength(length + 1);
    }
    await world.settled();
    expect(world.form(guest)).toBe('');
    expect(world.prompts()).toEqual([]);
    expect(await asked(world, alice)).toBe('started');
  });

  test('a reply of a guest is no follow-up: live, edited, or found later; the guest gets one private answer', async () => {
    await using world = await start();
    const card = await world.working();
    const { control } = world.slack;
    const refused = await control.reply(card, 'And my own page', guest);
    for (const text of ['Is it done?', 'Thanks']) await control.reply(card, text, guest);
    world.slack.onDelivery(() => 0);
    const missed = await control.reply(card, 'One', guest);
    await control.reply(card, 'And a table');
    world.slack.onDelivery(() => 1);
    await control.editMessage(missed, 'One, edited');
    await world.restart();
    await world.later(() => firstPrompts(world), includes('And a table'), 'the missed reply of bob');
    expect(firstPrompts(world)).toEqual(['Add a quickstart', 'And a table']);
    expect(await control.reactions(refused)).toEqual([]);
    expect(await world.privately(guest)).toEqual([expect.stringContaining(REFUSAL)]);

    world.api.finish(0, { status: 'failed' });
    await control.press(await world.threadMessage(card, 'Failed'), 'start_again', guest);
    await world.later(async () => (await world.privately(guest)).length, 2, 'why the button does nothing');
    await world.clock.advance(60_000);
    expect(world.api.counts.create).toBe(1);
  });
});

test.each<
  [what: string, rule: string, answers: (readonly [user: string, answer: string, channel?: string])[]]
>([
  [
    'lets guests in, and nobody else',
    'access: { guests: true }',
    [
      [guest, 'started'],
      [stranger, 'only members of this workspace'],
    ],
  ],
  [
    'lets people of other workspaces in, and no guests',
    'access: { other_workspaces: true }',
    [[guest, REFUSAL]],
  ],
  [
    'limits the program to listed users, and to members of listed user groups',
    `access: { users: [${alice}], user_groups: [${GROUP}], guests: true }`,
    [
      [alice, 'started'],
      [guest, 'started'],
      [bob, 'only certain people'],
    ],
  ],
])('the access rule of the file %s (A1)', async (_what, rule, answers) => {
  await using world = await start(rule);
  world.slack.control.setUserGroup(GROUP, [guest]);
  for (const [user, answer, channel] of answers) {
    expect(await asked(world, user, channel)).toContain(answer);
  }
});

test('where only some channels are allowed, every door and button looks at its own (A1, S4, S5)', async () => {
  const only = (channel: string) => `access: { channels: [${channel}] }`;
  await using world = await startStrictWorld({ configFile: only(random) });
  const { control } = world.slack;
  control.invite(random, 'U0DOCSAGENT');
  await world.say(`${bot} Document it`);
  await world.sentPrivately(general, 'only certain channels');
  await control.openHome(alice);
  await expect.poll(() => control.home(alice), { message: 'the home' }).not.toBeNull();
  await control.pressInView(alice, 'start_job');
  await world.formShows('Channel');
  const refused = await world.submit({ prompt: 'Document it', channel: general });
  expect(refused?.prompt).toContain('only certain channels');
  expect(await world.submit({ channel: random })).toBeNull();
  await world.started('Document it');

  // What Slack does not let start is offered in a direct message, and started in its channel.
  world.slack.onCall(({ method, args }) =>
    method === 'chat.postMessage' && args.channel === random ? { error: 'restricted_action' } : null,
  );
  await world.say(`${bot} Document that`, { channel: random });
  const offer = await world.seen(alice, ({ text }) => text.includes('[Start]'));
  world.slack.onCall(() => null);
  await control.press(offer, 'try_again', alice);
  await world.started('Document that');

  await world.command('Document that', alice, random);
  const question = await world.sentPrivately(random, 'You asked for this');
  await world.restart(only(general));
  await control.press(question, 'start_another', alice);
  await world.sentPrivately(random, 'only certain channels');
  await world.settled();
  expect(world.prompts()).toHaveLength(2);
});

test('who is let in from another workspace starts and steers jobs of this one (A1)', async () => {
  await using world = await start('access: { other_workspaces: true }');
  const { control } = world.slack;
  const message = await world.say('The limits are unclear', { user: bob });
  await control.shortcut({ message, user: stranger, callbackId: 'ask_docs_agent' });
  await world.formShows('prompt', stranger);
  expect(await world.submit({ prompt: 'Document it' }, stranger)).toBeNull();
  await world.started('Document it');
  const card = await world.seen(general, ({ text }) => text.includes('*Document it*'));
  await world.say('And the retries', { threadTs: card.ts });
  await world.settled();
  world.api.finish(0, { status: 'completed' });
  await control.press(await world.threadMessage(card, 'Done, no pull request'), 'follow_up', stranger);
  await world.formShows('prompt', stranger);
  expect(await world.submit({ prompt: 'Add a table' }, stranger)).toBeNull();
  await world.settled();
  expect(world.prompts()).toEqual([['Document it', 'And the retries', 'Add a table']]);
});

test('a user group of the rule that Slack does not know lets nobody in, holds nothing up, and is an error for the operator, once (A1)', async () => {
  await using world = await start(`access: { users: [${alice}], user_groups: [${GROUP}, S0GONE] }`);
  const { slack } = world;
  slack.control.setUserGroup(GROUP, [bob]);
  expect(await asked(world, bob)).toBe('started');
  expect(await asked(world, carol)).toContain('only certain people');
  await world.say(`${bot} Document it`, { user: carol });
  await world.later(async () => (await world.privately(carol)).length, 2, 'a private answer');
  await world.clock.advance(660_000);
  expect(await asked(world, carol)).toContain('only certain people');
  const errors = world.log.filter((line) => line.includes('"level":"error"'));
  expect(errors).toEqual([expect.stringMatching(/user_group_unknown.*S0GONE.*access\.user_groups/)]);

  const card = await world.working();
  slack.onDelivery(() => 0);
  await slack.control.reply(card, 'And a table');
  slack.onDelivery(() => 1);
  await world.restart();
  await world.later(() => world.prompts().flat(), includes('And a table'), 'the missed reply of bob');
});

describe('while Slack does not say who somebody is', () => {
  test('because the app lacks a permission, people read that an administrator must act (E2)', async () => {
    await using world = await start(`access: { user_groups: [${GROUP}] }`);
    const { slack } = world;
    slack.onCall(({ method }) => (method === 'usergroups.users.list' ? { error: 'missing_scope' } : null));
    expect(await asked(world, bob)).toContain('An administrator must reinstall the app');
    // Unacknowledged, it is delivered again.
    const written = world.say(`${bot} Document it`);
    const told = await world.later(() => world.privately(), some, 'a private answer');
    expect(told).toEqual([expect.stringContaining('An administrator must reinstall the app')]);
    slack.control.setUserGroup(GROUP, [alice]);
    slack.onCall(() => null);
    await world.later(() => world.api.counts.create, 1, 'the job');
    await written;
    expect(await world.privately()).toHaveLength(1);
  });

  test('nobody unknown is let in, and they read why; people known before stay so; a reply waits', async () => {
    await using world = await start();
    let failures = 1;
    world.slack.onCall(({ method }) => {
      if (method !== 'users.info' || failures === 0) return null;
      failures -= 1;
      return { error: 'internal_error' };
    });
    // A moment is no reason.
    const card = await world.working();
    expect(failures).toBe(0);
    hidePeople(world);
    await world.clock.advance(660_000);
    expect(await asked(world, bob)).toContain('check whether you may do this');
    expect((await world.command('Another one')).payload).not.toHaveProperty('text');
    const written = world.slack.control.reply(card, 'And a table');
    const looks = () => world.slack.calls('users.info').filter(({ args }) => args.user === bob);
    const { length } = looks();
    await world.later(looks, (all) => all.length > length, 'the question who bob is');
    world.slack.onCall(() => null);
    await world.later(() => firstPrompts(world), includes('And a table'), 'the reply to be sent');
    await written;
  });

  test('a person whom Slack does not know is not let in, and keeps no replies of others out, live or missed (A1)', async () => {
    await using world = await start();
    const { slack } = world;
    hidePeople(world, 'user_not_found', carol);
    const card = await world.working();
    // Returns when the event is acknowledged.
    await slack.control.reply(card, 'My own page', carol);
    slack.onDelivery(() => 0);
    await slack.control.reply(card, 'And another', carol);
    await slack.control.reply(card, 'And a table');
    slack.onDelivery(() => 1);
    await world.restart();
    await world.later(() => firstPrompts(world).length, 2, 'the missed reply of bob');
    expect(firstPrompts(world)).toEqual(['Add a quickstart', 'And a table']);
  });
});
