import { describe, expect, test } from 'vitest';
import { botScopes } from '../../src/slack/protocol/scopes.ts';
import { says, some } from '../support/is.ts';
import { alice, bob, general, random } from '../support/local-slack.ts';
import { signedHeaders } from '../support/signed-webhook.ts';
import { strictApp } from '../support/strict-slack/ids.ts';
import { type StrictWorld, startStrictWorld } from './support/strict-world.ts';

const MINUTE_MS = 60_000;
const REASON = 'this channel is shared with another organisation. Ask an administrator for access.';
const UNREAD = "I can't tell whether this channel is shared with another organisation";
const mention = `<@${strictApp.botUserId}>`;

/** With the bot in `random`, too. */
async function start(configFile?: string, settings = {}): Promise<StrictWorld> {
  const world = await startStrictWorld(configFile === undefined ? { settings } : { configFile, settings });
  world.slack.control.invite(random, strictApp.botUserId);
  return world;
}

/** Slack shows nothing in the channel but private answers and what people write, and the agent has heard of nothing. */
async function nothingHappened(world: StrictWorld, channel = general): Promise<void> {
  await world.settled();
  const all = await world.slack.control.messages(channel);
  const byBot = all.filter(({ user, ephemeral_to }) => user === strictApp.botUserId && !ephemeral_to);
  expect(byBot).toEqual([]);
  expect(world.api.counts.create).toBe(0);
}

describe('in a channel that is shared with another organisation, nothing is started (A3)', () => {
  const write = (user: string, text: string, fields = {}) => ({ channel: general, user, text, fields });

  test.each<
    [door: string, sharing: 'shared' | 'pending', file: string, ask: (world: StrictWorld) => unknown]
  >([
    ['a command', 'shared', '', ({ slack }) => slack.control.command(write(alice, 'Add a page'))],
    [
      'a command, once it is invited',
      'pending',
      '',
      ({ slack }) => slack.control.command(write(alice, 'Add a page')),
    ],
    ['a mention', 'shared', '', ({ slack }) => slack.control.message(write(alice, `${mention} Add a page`))],
    [
      'the shortcut in the menu of a message',
      'shared',
      '',
      async ({ slack: { control } }) => {
        const message = await control.message(write(bob, 'The page is wrong'));
        await control.shortcut({ message, user: alice, callbackId: 'ask_docs_agent' });
      },
    ],
    [
      'an emoji',
      'shared',
      `channels: { ${general}: { reaction: memo } }`,
      async ({ slack: { control } }) => {
        control.grantScopes([...botScopes.map(({ name }) => name), 'reactions:read']);
        await control.react(await control.message(write(bob, 'The page is wrong')), 'memo', alice);
      },
    ],
  ])('by %s, and people read why', async (_door, sharing, file, ask) => {
    await using world = await start(file);
    const { control } = world.slack;
    control.share(general, sharing);
    await ask(world);
    await world.sentPrivately(general, REASON);
    expect(control.modal(alice)).toBeNull();
    await nothingHappened(world);
  });

  test('by a listed app', async () => {
    await using world = await start('access: { bots: [A0ALERTS] }');
    const { control } = world.slack;
    control.addUser({ id: 'U0ALERTS', name: 'alerts', isBot: true });
    control.share(general, 'shared');
    const fields = { bot_id: 'B0ALERTS', app_id: 'A0ALERTS' };
    await control.message(write('U0ALERTS', `${mention} Document it`, fields));
    await nothingHappened(world);
  });

  test('by a recipe, at its moment or when somebody runs it', async () => {
    await using world = await start(
      `recipes: [{ name: weekly, channel: ${general}, request: Add a page, schedule: "* * * * *" }]`,
    );
    const { control } = world.slack;
    control.share(general, 'shared');
    await world.settled(2 * MINUTE_MS);
    const { payload } = await control.command({ channel: random, user: alice, text: 'run weekly' });
    expect(payload).toMatchObject({ text: expect.stringContaining(REASON) });
    await nothingHappened(world);
    // Nor does a job wait for the channel to be open again.
    const moments = world.log.filter((line) => line.includes('"recipe_due"'));
    expect(moments.length).toBeGreaterThan(0);
    for (const moment of moments) expect(moment).toContain('"outcome":"shared_channel"');
  });

  test('by the webhook of a recipe, which says so, even to a sender that tries again', async () => {
    const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
    await using world = await start(
      `recipes: [{ name: notes, channel: ${general}, request: Add a page, webhook: { secret_env: HOOK_SECRET } }]`,
      { HOOK_SECRET: secret },
    );
    const { control } = world.slack;
    control.share(general, 'shared');
    const send = async (id: string) => {
      const at = new Date(world.clock.now());
      const response = await fetch(`http://127.0.0.1:${world.service.port}/hooks/notes`, {
        method: 'POST',
        body: '{}',
        headers: signedHeaders(secret, id, at, '{}'),
      });
      return [response.status, await response.json()];
    };
    const skipped = [202, { skipped: 'its channel is shared with another organisation' }];
    expect(await send('one')).toEqual(skipped);
    expect(await send('one')).toEqual(skipped);
    await nothingHappened(world);
    control.share(general, 'none');
    await world.clock.advance(11 * MINUTE_MS);
    expect(await send('two')).toEqual([202, { job: expect.any(String) }]);
    await world.started('Add a page');
    await world.settled();
    expect(world.api.counts.create).toBe(1);
  });

  test.each([
    ['that nobody started', {}, "Workflows can't start jobs in that channel."],
    ['of a person', { person: { id: alice } }, 'the channel is shared with another organisation'],
  ])('by a workflow %s', async (_whose, more, words) => {
    await using world = await start(`workflows: { channels: [${general}] }`);
    const { control } = world.slack;
    control.share(general, 'shared');
    const id = await control.runStep({ request: 'Add a page', channel: general, ...more });
    await expect.poll(() => control.stepEnd(id)).toMatchObject({ error: expect.stringContaining(words) });
    await nothingHappened(world);
  });

  test('by the form, for a channel that is chosen there', async () => {
    await using world = await start();
    const { control } = world.slack;
    control.share(general, 'shared');
    await control.command({ channel: random, user: alice, text: '' });
    await expect.poll(() => control.modal(alice)?.callback_id).toBe('compose');
    control.share(random, 'shared');
    const { errors } = await control.submit(alice, { prompt: 'Add a page' });
    expect(JSON.stringify(errors)).toContain(REASON);
    await nothingHappened(world, random);
  });
});

test('a channel under access.shared_channels is open (A3)', async () => {
  await using world = await start(`access: { shared_channels: [${general}] }`);
  world.slack.control.share(general, 'shared');
  await world.working('Add a page');
});

describe('a channel whose state Slack does not tell (A3)', () => {
  test('counts as shared, which people read', async () => {
    await using world = await start();
    const { control } = world.slack;
    world.slack.onCall(({ method }) => (method === 'conversations.info' ? { error: 'missing_scope' } : null));
    const { payload } = await control.command({ channel: general, user: alice, text: 'Add a page' });
    expect(payload).toMatchObject({ text: expect.stringContaining(UNREAD) });
    await nothingHappened(world);
  });

  test('counts as shared ten minutes after Slack has told it last', async () => {
    await using world = await start();
    const { control } = world.slack;
    await world.working('Add a page');
    world.slack.onCall(({ method }) =>
      method === 'conversations.info' ? { error: 'internal_error' } : null,
    );
    const command = async () =>
      (await control.command({ channel: general, user: alice, text: 'Add another' })).payload;
    await world.clock.advance(11 * MINUTE_MS);
    expect(await command()).toMatchObject({ text: expect.stringContaining(UNREAD) });
    expect(world.api.counts.create).toBe(1);
  });

  test('holds a mention up until Slack tells it', async () => {
    await using world = await start();
    world.slack.onCall(({ method }) =>
      method === 'conversations.info' ? { error: 'internal_error' } : null,
    );
    const text = `${mention} Add a page`;
    const written = world.slack.control.message({ channel: general, user: alice, text });
    const failures = () => world.log.filter((line) => line.includes('listener_failed'));
    await world.later(failures, some, 'the failure');
    world.slack.onCall(() => null);
    await world.later(() => world.api.counts.create, 1, 'the job');
    // Slack waits for an acknowledgement by the clock.
    await world.clock.advance(5_000);
    await written;
    // Slack's trouble is no error of the program.
    expect(failures().filter((line) => line.includes('"level":"error"'))).toEqual([]);
  });

  test('because the bot is not in it yet: people read how to invite it, and it is looked at then', async () => {
    await using world = await start();
    const { control } = world.slack;
    const hidden = 'C0HIDDEN';
    control.openChannel({ id: hidden, name: 'hidden', type: 'group', members: [alice] });
    control.share(hidden, 'shared');
    await control.command({ channel: hidden, user: alice, text: 'Add a page' });
    const invited = async () =>
      (await control.messages(hidden)).findLast(({ ephemeral_to, text }) => ephemeral_to === alice && text);
    await world.later(invited, says('/invite @docs-agent'), 'the way');
    control.invite(hidden, strictApp.botUserId);
    await world.later(invited, says(REASON), 'the refusal');
    await nothingHappened(world, hidden);
  });
});

describe('a channel that becomes shared while a job runs there (A3)', () => {
  const PR = 'https://github.com/acme/docs/pull/14';

  /** The direct messages of the bot to the person. */
  const sentTo = async (world: StrictWorld, user: string) =>
    (await world.slack.control.messages(user)).map(({ text }) => text);

  test.each([
    ['channel_shared', true],
    ['the next look', false],
  ])('gets no more of it: its news go to the requester (%s)', async (_how, isTold) => {
    await using world = await start();
    const { control } = world.slack;
    await world.working('Add a page');
    await world.settled();
    if (!isTold) world.slack.onDelivery(() => 0);
    control.share(general, 'shared');
    if (!isTold) await world.clock.advance(11 * MINUTE_MS);
    else await expect.poll(() => world.log.join()).toContain('channel_shared');
    const before = JSON.stringify(await control.messages(general));
    world.api.finish(0, { status: 'completed', prLink: PR });
    const told = await world.later(
      () => sentTo(world, alice),
      (texts) => texts.some((text) => text.includes('Pull request ready')),
      'the news',
    );
    expect(told.join('\n')).toMatch(
      /<#C0GENERAL> is shared with another organisation now[\s\S]*acme\/docs#14/,
    );
    await world.settled();
    expect(JSON.stringify(await control.messages(general))).toBe(before);
  });

  test('takes no replies from then on, as an event says by itself', async () => {
    await using world = await start('access: { other_workspaces: true }');
    const { control } = world.slack;
    const card = await world.working('Add a page');
    control.addUser({ id: 'U0STRANGER', name: 'sam', teamId: 'T0ELSEWHERE' });
    control.invite(general, 'U0STRANGER');
    await control.reply(card, 'And a table');
    await world.sentPrivately(general, REASON);
    await world.settled();
    expect(world.prompts()).toEqual([['Add a page']]);
  });
});

test('a pull request is not announced in a notice channel that is shared, which its thread says once (A3, N1)', async () => {
  await using world = await start(undefined, { NOTICE_CHANNELS: random });
  const { control } = world.slack;
  control.share(random, 'shared');
  const card = await world.working('Add a page');
  const prLink = 'https://github.com/acme/docs/pull/14';
  world.api.finish(0, { status: 'completed', prLink });
  const refused = await world.threadMessage(card, "Couldn't post in");
  expect(refused.text).toContain('is shared with another organisation');
  await world.settled();
  expect((await control.messages(random)).filter(({ user }) => user === strictApp.botUserId)).toEqual([]);
});
