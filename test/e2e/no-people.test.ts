import { describe, expect, test } from 'vitest';
import { has, includes } from '../support/is.ts';
import { alice, bob, type SlackMessage } from '../support/local-slack.ts';
import { strictApp } from '../support/strict-slack/ids.ts';
import type { NewPerson } from '../support/strict-slack/people.ts';
import { startStrictWorld } from './support/strict-world.ts';

const slackbot: NewPerson = { id: 'USLACKBOT', name: 'slackbot' };
const bot: NewPerson = { id: 'UBOT', name: 'deploys', isBot: true };
const gone: NewPerson = { id: 'UGONE', name: 'carol', isDeleted: true };
const mention = `<@${strictApp.botUserId}>`;
const everybody = 'access: { guests: true, other_workspaces: true }';
const refusal = "bots and deactivated accounts aren't allowed";
const other = { bot_id: 'BOTHERAPP' };

async function start(configFile = '') {
  const world = await startStrictWorld({ configFile });
  const { control } = world.slack;
  for (const person of [slackbot, bot, gone]) control.addUser(person);
  /** What the bot has said, publicly or privately. */
  const said = () => world.slack.calls().filter(({ method }) => /^(chat|reactions|views)\./.test(method));
  return Object.assign(world, {
    nothingFollows: async (write: () => Promise<unknown>) => {
      await world.clock.advance(10_000);
      const before = said().length;
      const prompts = world.prompts();
      await write();
      await world.clock.advance(30_000);
      expect(world.prompts()).toEqual(prompts);
      expect(said().slice(before)).toEqual([]);
    },
    sentLater: (message: SlackMessage) =>
      world.later(() => control.reactions(message), includes('white_check_mark'), 'the reply to be sent'),
  });
}

describe.each([
  ['Slackbot', slackbot],
  ['a bot that only users.info calls one', bot],
  ['a deactivated user', gone],
])('%s', (_who, { id: user }) => {
  test('writes no follow-up, live, edited or missed, and starts nothing, by a mention or in a thread (S5)', async () => {
    await using world = await start();
    const { control } = world.slack;
    const root = await world.say('Release 2.1', { user: bob });
    const card = await world.working();
    await world.nothingFollows(async () => {
      const reply = await control.reply(card, 'Deployed 2.1', user);
      await control.editMessage(reply, `${mention} Deployed 2.2`);
      await control.deleteMessage(reply);
      await control.reply(card, `${mention} mute`, user);
      await world.say(`${mention} Document 2.1`, { user });
      await world.say(`${mention} Document 2.1`, { user, threadTs: root.ts });
      // As Slackbot writes to the bot that is removed.
      if (user === slackbot.id)
        await world.say(`You have been removed from #release-notes by <@${alice}>`, { user, channel: user });
    });
    await world.service.stop();
    await control.reply(card, 'Deployed 2.1', user);
    const missed = await control.reply(card, 'Mention the CLI');
    await world.restart();
    await world.sentLater(missed);
    expect(world.prompts()).toEqual([['Add a quickstart', 'Mention the CLI']]);
    await world.restart(everybody);
    await world.nothingFollows(() => world.say(`${mention} Document 2.1`, { user }));
  });

  test('starts and decides nothing, and reads why, also where guests and people from everywhere are let in (A1)', async () => {
    await using world = await start(everybody);
    const { control } = world.slack;
    expect(JSON.stringify((await world.command('Document 2.1', user)).payload)).toContain(refusal);
    world.api.failNext('create', { status: 400, body: '{"error":"too vague"}' });
    const card = await world.ask('Improve all our docs');
    await control.press(await world.threadMessage(card, 'Not accepted'), 'edit_and_start', user);
    await world.clock.advance(1_000);
    expect(world.form(user)).toBe('');
    expect(world.api.counts.create).toBe(1);
  });
});

test('who is deactivated while a form is open starts nothing by it, and reads why, also at home (A1)', async () => {
  await using world = await start();
  const { control } = world.slack;
  await world.command('');
  await world.formShows('prompt');
  control.addUser({ ...gone, id: alice, name: 'alice' });
  await world.clock.advance(11 * 60_000);
  expect(JSON.stringify(await world.submit({ prompt: 'Document 2.1' }))).toContain(refusal);
  expect(world.api.counts.create).toBe(0);
  await control.openHome(alice);
  await world.later(() => JSON.stringify(control.home(alice)), includes(refusal), 'the home');
});

describe('a message that an app posts with the token of a person (R6)', () => {
  test("is that person's: it starts a job, and is a reply, live or missed, which may be edited and deleted", async () => {
    await using world = await start();
    const { control } = world.slack;
    const post = (text: string, user: string, threadTs?: string) =>
      world.say(text, { user, fields: other, threadTs });
    const asked = await post(`${mention} Document 2.1`, bob);
    await world.later(() => world.prompts(), has(1), 'the job');
    const reply = await post('Mention teh CLI', alice, asked.ts);
    await control.editMessage(reply, 'Mention the CLI');
    await control.deleteMessage(await post('Nobody reads this', alice, asked.ts));
    await world.sentLater(reply);
    await world.nothingFollows(async () => {
      await post(`${mention} Document 2.2`, bot.id);
      const of = await post('Deployed 2.2', bot.id, asked.ts);
      await control.editMessage(of, 'Deployed 2.3');
      await control.deleteMessage(of);
      await control.reply(asked, 'Deployed 2.4', bot.id);
    });
    await world.service.stop();
    await post('Deployed 2.5', bot.id, asked.ts);
    const missed = await post('And the API', bob, asked.ts);
    await world.restart();
    await world.sentLater(missed);
    expect(world.prompts()).toEqual([['Document 2.1', 'Mention the CLI', 'And the API']]);
  });

  test('is nothing if that app is this program, nor while Slack does not say that a person stands behind it; without an app, it is (S5, A1)', async () => {
    await using world = await start(everybody);
    const text = `${mention} Document 2.1`;
    const own = { bot_id: strictApp.botId };
    await world.nothingFollows(() => world.say(text, { user: bob, fields: own }));
    world.slack.onCall(({ method }) => (method === 'users.info' ? { status: 503 } : null));
    await world.nothingFollows(async () => {
      const posted = world.say(text, { user: bob, fields: other });
      await world.clock.advance(5_000);
      await posted;
    });
    await world.say(text, { user: bob });
    await world.later(() => world.prompts(), has(1), 'the job');
  });
});
