import { describe, expect, test } from 'vitest';
import { includes, some } from '../support/is.ts';
import { alice, bob, general, random, type SlackMessage } from '../support/local-slack.ts';
import { type Program, startProgram } from '../support/strict-slack/program.ts';

const guest = 'U0GUEST';
const stranger = 'U0STRANGER';
const GROUP = 'S0WRITERS';

/** With a guest, and a person of another workspace, in `general`. */
async function start(configFile = 'access: {}'): Promise<Program> {
  // With people of another workspace in it, the channel is a shared one.
  const open = configFile.replace('access: {', `access: { shared_channels: [${general}],`);
  const program = await startProgram({ configFile: open });
  const { control } = program.slack;
  control.addUser({ id: guest, name: 'gina', isRestricted: true });
  control.addUser({ id: stranger, name: 'sam', teamId: 'T0ELSEWHERE' });
  for (const person of [guest, stranger]) control.invite(general, person);
  return program;
}

const privately = async ({ slack }: Program, user: string) =>
  (await slack.control.messages(general))
    .filter(({ ephemeral_to }) => ephemeral_to === user)
    .map(({ text }) => text);

/** Whether the command of this person starts a job, or what is answered. */
async function asked(program: Program, user: string, channel = general): Promise<string> {
  const { payload } = await program.slack.control.command({ channel, user, text: `Prompt of ${user}` });
  const told = (payload as { text?: string } | null)?.text;
  if (told !== undefined) return told;
  await program.later(
    async () => (await program.slack.control.messages(channel)).map(({ text }) => text).join('\n'),
    includes(`Prompt of ${user}`),
    'a card',
  );
  return 'started';
}

describe('without a word about access, the program is for the people of the workspace (A1)', () => {
  test('full members may start jobs; guests and people from other workspaces get the reason', async () => {
    await using program = await start();
    expect(await asked(program, alice)).toBe('started');
    expect(await asked(program, guest)).toContain('allowed. Ask an administrator');
    expect(await asked(program, stranger)).toContain('only members of this workspace');
    expect(program.api.counts.create).toBe(1);
  });

  test('a reply of a guest is no follow-up, and the guest gets one private answer, however often', async () => {
    await using program = await start();
    const card = await program.working();
    const write = (user: string, text: string) => program.slack.control.reply(card, text, user);
    const refused = await write(guest, 'And my own page');
    for (const text of ['Is it done?', 'Thanks']) await write(guest, text);
    await write(bob, 'And a table');
    await program.later(() => program.api.counts.message, 1, 'the follow-up of bob');
    expect(program.api.jobs[0]?.prompts).toEqual(['Add a quickstart', 'And a table']);
    expect(await program.slack.control.reactions(refused)).toEqual([]);
    expect(await privately(program, guest)).toEqual([
      expect.stringContaining('allowed. Ask an administrator'),
    ]);
  });

  test('a reply of a guest is no follow-up when it is edited, or found later in the thread', async () => {
    await using program = await start();
    const card = await program.working();
    const { control } = program.slack;
    program.slack.onDelivery(() => 0);
    const missed = await control.reply(card, 'One', guest);
    await control.reply(card, 'Two');
    program.slack.onDelivery(() => 1);
    await control.editMessage(missed, 'One, edited');
    await program.restart();
    await program.later(() => program.api.jobs[0]?.prompts ?? [], includes('Two'), 'the missed reply of bob');
    expect(program.api.jobs[0]?.prompts).toEqual(['Add a quickstart', 'Two']);
  });

  test('a guest who presses a button in a thread reads there why nothing happens', async () => {
    await using program = await start();
    const card = await program.working();
    program.api.finish(0, { status: 'failed' });
    const failed: SlackMessage = await program.threadMessage(card, 'Failed');
    await program.slack.control.press(failed, 'start_again', guest);
    await program.threadMessage(card, 'allowed. Ask an administrator');
    expect(await privately(program, guest)).toHaveLength(1);
    await program.clock.advance(60_000);
    expect(program.api.counts.create).toBe(1);
  });
});

test.each<
  [
    what: string,
    rule: string,
    answers: readonly (readonly [user: string, answer: string, channel?: string])[],
  ]
>([
  [
    'lets guests and people from other workspaces in',
    'access: { guests: true, other_workspaces: true }',
    [
      [guest, 'started'],
      [stranger, 'started'],
    ],
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
  [
    'limits the program to listed channels',
    `access: { channels: [${general}] }`,
    [
      [alice, 'started'],
      [alice, 'only certain channels', random],
    ],
  ],
])('the access rule of the file %s (A1)', async (_what, rule, answers) => {
  await using program = await start(rule);
  program.slack.control.setUserGroup(GROUP, [guest]);
  for (const [user, answer, channel] of answers) {
    expect(await asked(program, user, channel)).toContain(answer);
  }
});

describe('a user group of the rule that Slack does not know', () => {
  test('lets nobody in, holds nothing up, and is an error for the operator, once', async () => {
    await using program = await start(`access: { users: [${alice}], user_groups: [${GROUP}, S0GONE] }`);
    const { control } = program.slack;
    control.setUserGroup(GROUP, [bob]);
    expect(await asked(program, alice)).toBe('started');
    expect(await asked(program, bob)).toBe('started');
    control.addUser({ id: 'U0CAROL', name: 'carol' });
    control.invite(general, 'U0CAROL');
    expect(await asked(program, 'U0CAROL')).toContain('only certain people');
    await control.message({ channel: general, user: 'U0CAROL', text: '<@U0DOCSAGENT> Document it' });
    const told = () => privately(program, 'U0CAROL');
    await program.later(told, some, 'a private answer');
    await program.clock.advance(660_000);
    expect(await asked(program, 'U0CAROL')).toContain('only certain people');
    const errors = program.log.filter((line) => line.includes('"level":"error"'));
    expect(errors).toHaveLength(1);
    expect(errors[0]).toMatch(/user_group_unknown.*S0GONE.*access\.user_groups/);
  });

  test('does not keep replies of others from being found in the thread', async () => {
    await using program = await start(`access: { users: [${alice}], user_groups: [${GROUP}, S0GONE] }`);
    const { slack, later, api } = program;
    slack.control.setUserGroup(GROUP, [bob]);
    const card = await program.working();
    slack.onDelivery(() => 0);
    await slack.control.reply(card, 'And a table');
    slack.onDelivery(() => 1);
    await program.restart();
    const prompts = () => api.jobs[0]?.prompts ?? [];
    await later(prompts, includes('And a table'), 'the missed reply of bob');
  });
});

describe('while Slack does not say who somebody is', () => {
  test('because the app lacks a permission, people read that an administrator must act (E2)', async () => {
    await using program = await start(`access: { user_groups: [${GROUP}] }`);
    const { slack } = program;
    slack.onCall(({ method }) => (method === 'usergroups.users.list' ? { error: 'missing_scope' } : null));
    expect(await asked(program, bob)).toContain('An administrator must reinstall the app');
    // Unacknowledged, it is delivered again.
    const text = '<@U0DOCSAGENT> Document it';
    const written = slack.control.message({ channel: general, user: alice, text });
    const told = await program.later(() => privately(program, alice), some, 'a private answer');
    expect(told).toEqual([expect.stringContaining('An administrator must reinstall the app')]);
    slack.control.setUserGroup(GROUP, [alice]);
    slack.onCall(() => null);
    await program.later(() => program.api.counts.create, 1, 'the job');
    await written;
    expect(await privately(program, alice)).toHaveLength(1);
  });

  test('nobody unknown is let in, and they read why; people known before stay so', async () => {
    await using program = await start();
    expect(await asked(program, alice)).toBe('started');
    program.slack.onCall(({ method }) => (method === 'users.info' ? { error: 'internal_error' } : null));
    await program.clock.advance(660_000);
    expect(await asked(program, bob)).toContain('check whether you may do this');
    const { payload } = await program.slack.control.command({
      channel: general,
      user: alice,
      text: 'Another one',
    });
    expect(payload).not.toHaveProperty('text');
  });

  test('for a moment only, nobody is refused for it', async () => {
    await using program = await start();
    let failures = 1;
    program.slack.onCall(({ method }) => {
      if (method !== 'users.info' || failures === 0) return null;
      failures -= 1;
      return { error: 'internal_error' };
    });
    expect(await asked(program, alice)).toBe('started');
    expect(failures).toBe(0);
  });

  test('a reply is taken in when Slack can be asked again', async () => {
    await using program = await start();
    const card = await program.working();
    program.slack.onCall(({ method }) => (method === 'users.info' ? { error: 'internal_error' } : null));
    const message = { channel: general, user: bob, text: 'And a table', threadTs: card.ts };
    const written = program.slack.control.message(message);
    await program.later(
      () => program.slack.calls('users.info').filter(({ args }) => args.user === bob),
      some,
      'the question who bob is',
    );
    program.slack.onCall(() => null);
    await program.later(
      () => program.api.jobs[0]?.prompts ?? [],
      includes('And a table'),
      'the reply to be sent',
    );
    await written;
  });
});

describe('a person whom Slack does not tell of (A1)', () => {
  const gone = 'U0GONE';

  test('is not let in, and does not keep the replies of others out, live or missed', async () => {
    await using program = await start();
    const { slack } = program;
    slack.control.addUser({ id: gone, name: 'gone' });
    slack.control.invite(general, gone);
    slack.onCall(({ method, args }) =>
      method === 'users.info' && args.user === gone ? { error: 'user_not_found' } : null,
    );
    const card = await program.working();
    const write = (user: string, text: string) => slack.control.reply(card, text, user);
    // Returns when the event is acknowledged.
    await write(gone, 'My own page');
    slack.onDelivery(() => 0);
    await write(gone, 'And another');
    await write(bob, 'And a table');
    slack.onDelivery(() => 1);
    await program.restart();
    await program.later(
      () => program.api.jobs[0]?.prompts ?? [],
      (prompts) => prompts.length > 1,
      'the missed reply of bob',
    );
    expect(program.api.jobs[0]?.prompts).toEqual(['Add a quickstart', 'And a table']);
  });
});
