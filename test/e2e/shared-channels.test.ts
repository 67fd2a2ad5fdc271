import { describe, expect, test } from 'vitest';
import { botScopes } from '../../src/slack/protocol/scopes.ts';
import { says } from '../support/is.ts';
import { alice, bob, general, random } from '../support/local-slack.ts';
import { signedHeaders } from '../support/signed-webhook.ts';
import { strictApp } from '../support/strict-slack/ids.ts';
import { type StrictWorld, startStrictWorld } from './support/strict-world.ts';

const MINUTE_MS = 60_000;
const REASON = 'this channel is shared with another organisation. Ask an administrator for access.';
const UNREAD = "I can't tell whether this channel is shared with another organisation";
const PR = 'https://github.com/acme/docs/pull/14';
const mention = `<@${strictApp.botUserId}>`;
const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const configFile = `
access: { bots: [A0ALERTS] }
channels: { ${general}: { reaction: memo } }
workflows: { channels: [${general}] }
recipes:
  - { name: weekly, channel: ${general}, request: Add a page, schedule: "* * * * *" }
  - { name: notes, channel: ${general}, request: Add a note, webhook: { secret_env: HOOK_SECRET } }
`;

/** With the bot in `random`, too. */
async function start(file = '', settings = {}): Promise<StrictWorld> {
  const world = await startStrictWorld({ configFile: file, settings });
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

const hideChannels = ({ slack }: StrictWorld, error = 'internal_error') =>
  slack.onCall(({ method }) => (method === 'conversations.info' ? { error } : null));

test('in a channel that is shared with another organisation nothing is started, by no door, and people read why (A3)', async () => {
  await using world = await start(configFile, { HOOK_SECRET: SECRET });
  const { control } = world.slack;
  control.grantScopes([...botScopes.map(({ name }) => name), 'reactions:read']);
  control.addUser({ id: 'U0ALERTS', name: 'alerts', isBot: true });
  control.share(general, 'pending');
  const refusals = async () => (await world.privately()).filter((text) => text.includes(REASON));
  await world.command('Add a page');
  await expect.poll(refusals, { message: 'the command, once it is invited' }).toHaveLength(1);
  control.share(general, 'shared');
  const message = await world.say('The page is wrong', { user: bob });
  for (const [nth, ask] of [
    () => world.command('Add a page'),
    () => world.say(`${mention} Add a page`),
    () => control.shortcut({ message, user: alice, callbackId: 'ask_docs_agent' }),
    () => control.react(message, 'memo', alice),
  ].entries()) {
    await ask();
    await world.later(refusals, ({ length }) => length === nth + 2, `why, ${nth}`);
  }
  expect(world.form()).toBe('');
  const fields = { bot_id: 'B0ALERTS', app_id: 'A0ALERTS' };
  await world.say(`${mention} Document it`, { user: 'U0ALERTS', fields });

  for (const [more, words] of [
    [{}, "Workflows can't start jobs in that channel."],
    [{ person: { id: alice } }, 'the channel is shared with another organisation'],
  ] as const) {
    const id = await control.runStep({ request: 'Add a page', channel: general, ...more });
    await expect.poll(() => control.stepEnd(id)).toMatchObject({ error: expect.stringContaining(words) });
  }

  await world.settled(2 * MINUTE_MS);
  const { payload } = await world.command('run weekly', alice, random);
  expect(payload).toMatchObject({ text: expect.stringContaining(REASON) });
  // Nor does a job wait for the channel to be open again.
  const moments = world.log.filter((line) => line.includes('"recipe_due"'));
  expect(moments.length).toBeGreaterThan(0);
  for (const moment of moments) expect(moment).toContain('"outcome":"shared_channel"');

  await world.command('', alice, random);
  await world.formShows('prompt');
  control.share(random, 'shared');
  expect(JSON.stringify(await world.submit({ prompt: 'Add a page' }))).toContain(REASON);
  await nothingHappened(world, random);

  const send = async (id: string) => {
    const headers = signedHeaders(SECRET, id, new Date(world.clock.now()), '{}');
    const address = `http://127.0.0.1:${world.service.port}/hooks/notes`;
    const response = await fetch(address, { method: 'POST', body: '{}', headers });
    return [response.status, await response.json()];
  };
  const skipped = [202, { skipped: 'its channel is shared with another organisation' }];
  for (const _try of [1, 2]) expect(await send('one')).toEqual(skipped);
  await nothingHappened(world);
  control.share(general, 'none');
  await world.clock.advance(11 * MINUTE_MS);
  expect(await send('two')).toEqual([202, { job: expect.any(String) }]);
  await world.started('Add a note');
});

describe('a channel whose state Slack does not tell (A3)', () => {
  test('counts as shared, which people read, and that ten minutes after Slack has told it last', async () => {
    await using world = await start();
    const answer = async () => (await world.command('Add another')).payload;
    hideChannels(world, 'missing_scope');
    expect(await answer()).toMatchObject({ text: expect.stringContaining(UNREAD) });
    await nothingHappened(world);
    world.slack.onCall(() => null);
    await world.working('Add a page');
    hideChannels(world);
    await world.clock.advance(11 * MINUTE_MS);
    expect(await answer()).toMatchObject({ text: expect.stringContaining(UNREAD) });
    expect(world.api.counts.create).toBe(1);
  });

  test('because the bot is not in it yet: people read how to invite it, and it is looked at then', async () => {
    await using world = await start();
    const { control } = world.slack;
    const hidden = 'C0HIDDEN';
    control.openChannel({ id: hidden, name: 'hidden', type: 'group', members: [alice] });
    control.share(hidden, 'shared');
    await world.command('Add a page', alice, hidden);
    const invited = async () =>
      (await control.messages(hidden)).findLast(({ ephemeral_to, text }) => ephemeral_to === alice && text);
    await world.later(invited, says('/invite @docs-agent'), 'the way');
    control.invite(hidden, strictApp.botUserId);
    await world.later(invited, says(REASON), 'the refusal');
    await nothingHappened(world, hidden);
  });
});

test.each([
  ['channel_shared', true],
  ['the next look', false],
])(
  'a channel that becomes shared while a job runs there gets no more of it: its news go to the requester (%s; A3)',
  async (_how, isTold) => {
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
    const told = async () => (await control.messages(alice)).map(({ text }) => text).join('\n');
    const news = /<#C0GENERAL> is shared with another organisation now[\s\S]*acme\/docs#14/;
    await world.later(told, (text) => news.test(text) && text.includes('Pull request ready'), 'the news');
    await world.settled();
    expect(JSON.stringify(await control.messages(general))).toBe(before);
  },
);

test('a shared channel takes no replies from then on, as an event says by itself (A3)', async () => {
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

test('a pull request is not announced in a notice channel that is shared, which its thread says once (A3, N1)', async () => {
  await using world = await start('', { NOTICE_CHANNELS: random });
  const { control } = world.slack;
  control.share(random, 'shared');
  const card = await world.working('Add a page');
  world.api.finish(0, { status: 'completed', prLink: PR });
  const refused = await world.threadMessage(card, "Couldn't post in");
  expect(refused.text).toContain('is shared with another organisation');
  await world.settled();
  expect((await control.messages(random)).filter(({ user }) => user === strictApp.botUserId)).toEqual([]);
});
