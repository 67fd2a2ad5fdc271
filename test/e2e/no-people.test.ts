import { describe, expect, onTestFinished, test } from 'vitest';
import { has, includes } from '../support/is.ts';
import { alice, bob, general, type SlackMessage } from '../support/local-slack.ts';
import { strictApp } from '../support/strict-slack/ids.ts';
import type { NewPerson } from '../support/strict-slack/people.ts';
import { type Program, startProgram } from '../support/strict-slack/program.ts';

const slackbot: NewPerson = { id: 'USLACKBOT', name: 'slackbot' };
const bot: NewPerson = { id: 'UBOT', name: 'deploys', isBot: true };
const person: NewPerson = { id: bob, name: 'bob' };
const gone: NewPerson = { id: 'UGONE', name: 'carol', isDeleted: true };
const mention = `<@${strictApp.botUserId}>`;

const nobodies = [
  ['Slackbot', slackbot],
  ['a bot that only users.info calls one', bot],
  ['a deactivated user', gone],
] as const;

const everybody = 'access: { guests: true, other_workspaces: true }';

async function withNobodies(configFile?: string) {
  const program = await startProgram({ configFile: configFile ?? '' });
  onTestFinished(() => program[Symbol.asyncDispose]());
  for (const person of [slackbot, bot, gone]) program.slack.control.addUser(person);
  const write = (text: string, { id }: NewPerson, channel = general, threadTs?: string) =>
    program.slack.control.message({ channel, user: id, text, threadTs });
  return { program, write };
}

/** What the bot has said, publicly or privately, since then. */
const said = ({ slack }: Program) =>
  slack
    .calls()
    .map(({ method }) => method)
    .filter((method) => /^(chat|reactions|views)\./.test(method));

const prompts = ({ api }: Program) => api.jobs.map((job) => job.prompts);

async function nothingFollows(program: Program, write: () => Promise<unknown>): Promise<void> {
  const before = said(program).length;
  const jobs = prompts(program);
  await write();
  await program.clock.advance(30_000);
  expect(prompts(program)).toEqual(jobs);
  expect(said(program).slice(before)).toEqual([]);
}

async function working(program: Program): Promise<SlackMessage> {
  const card = await program.working();
  await program.clock.advance(10_000);
  return card;
}

const sentLater = (program: Program, message: SlackMessage) =>
  program.later(
    () => program.slack.control.reactions(message),
    includes('white_check_mark'),
    'the reply to be sent',
  );

test('being removed from a channel, of which Slackbot writes to the bot, starts no job (S5)', async () => {
  const { program, write } = await withNobodies();
  const text = `You have been removed from #release-notes by <@${alice}>`;
  await nothingFollows(program, () => write(text, slackbot, slackbot.id));
});

describe.each(nobodies)('what %s writes (S5)', (_who, nobody) => {
  test('is no follow-up, even when it is edited or deleted, and has no receipt', async () => {
    const { program, write } = await withNobodies();
    const card = await working(program);
    await nothingFollows(program, async () => {
      const reply = await write('Deployed 2.1', nobody, general, card.ts);
      await program.slack.control.editMessage(reply, `${mention} Deployed 2.2`);
      await program.slack.control.deleteMessage(reply);
      await write(`${mention} mute`, nobody, general, card.ts);
    });
  });

  test('starts nothing by a mention, and is offered nothing in a thread', async () => {
    const { program, write } = await withNobodies();
    const root = await write('Release 2.1', person);
    await nothingFollows(program, async () => {
      await write(`${mention} Document 2.1`, nobody);
      await write(`${mention} Document 2.1`, nobody, general, root.ts);
    });
  });

  test('is not taken in when the thread is read for missed replies', async () => {
    const { program, write } = await withNobodies();
    const card = await working(program);
    await program.service.stop();
    await write('Deployed 2.1', nobody, general, card.ts);
    const missed = await write('Mention the CLI', person, general, card.ts);
    await program.restart();
    await sentLater(program, missed);
    expect(prompts(program)).toEqual([['Add a quickstart', 'Mention the CLI']]);
  });

  test('is nothing, too, where guests and people from everywhere are let in', async () => {
    const { program, write } = await withNobodies(everybody);
    await nothingFollows(program, () => write(`${mention} Document 2.1`, nobody));
  });
});

describe.each(nobodies)('whatever is done in the name of %s (A1)', (_who, nobody) => {
  const refusal = "bots and deactivated accounts aren't allowed";

  test.each([
    ['by default', undefined],
    ['where guests and people from everywhere are let in', everybody],
  ])('starts and decides nothing, and says why, %s', async (_where, configFile) => {
    const { program } = await withNobodies(configFile);
    const { control } = program.slack;
    const typed = await control.command({ channel: general, user: nobody.id, text: 'Document 2.1' });
    expect(JSON.stringify(typed.payload)).toContain(refusal);

    program.api.failNext('create', { status: 400, body: '{"error":"too vague"}' });
    const card = await program.ask('Improve all our docs');
    const offer = await program.threadMessage(card, 'Not accepted');
    await control.press(offer, 'edit_and_start', nobody.id);
    await program.clock.advance(1_000);
    expect(control.modal(nobody.id)).toBeNull();

    await control.command({ channel: general, user: alice, text: '' });
    await expect.poll(() => control.modal(alice), { message: 'the form' }).not.toBeNull();
    control.addUser({ ...gone, id: alice, name: 'alice' });
    await program.clock.advance(11 * 60_000);
    const { errors } = await control.submit(alice, { prompt: 'Document 2.1' });
    expect(JSON.stringify(errors)).toContain(refusal);
    expect(program.api.counts.create).toBe(1);
    await control.openHome(alice);
    await program.later(
      () => JSON.stringify(control.home(alice)?.blocks ?? []),
      includes(refusal),
      'the home',
    );
  });
});

test('where everybody is let in, a person of whom Slack says nothing now still is (S5, A1)', async () => {
  const { program, write } = await withNobodies(everybody);
  program.slack.onCall(({ method }) => (method === 'users.info' ? { status: 503 } : null));
  await write(`${mention} Document 2.1`, person);
  await program.later(() => prompts(program), has(1), 'the job');
});

describe('a message that an app posts with the token of a person (R6)', () => {
  const other = { bot_id: 'BOTHERAPP' };

  test("is that person's: it starts a job, and is a reply, which may be edited and deleted", async () => {
    const { program, write } = await withNobodies();
    const { control } = program.slack;
    const post = (text: string, user: string, threadTs?: string) =>
      control.message({ channel: general, user, text, fields: other, threadTs });
    const asked = await post(`${mention} Document 2.1`, bob);
    await program.later(() => prompts(program), has(1), 'the job');
    const reply = await post('Mention teh CLI', alice, asked.ts);
    await control.editMessage(reply, 'Mention the CLI');
    const deleted = await post('Nobody reads this', alice, asked.ts);
    await control.deleteMessage(deleted);
    await sentLater(program, reply);
    await program.clock.advance(30_000);
    expect(prompts(program)).toEqual([['Document 2.1', 'Mention the CLI']]);
    await nothingFollows(program, async () => {
      await post(`${mention} Document 2.2`, bot.id);
      const of = await post('Deployed 2.2', bot.id, asked.ts);
      await control.editMessage(of, 'Deployed 2.3');
      await control.deleteMessage(of);
      await write('Deployed 2.4', bot, general, asked.ts);
    });
  });

  test('is found, too, when the thread is read for missed replies', async () => {
    const { program } = await withNobodies();
    const card = await working(program);
    await program.service.stop();
    const post = (text: string, user: string) =>
      program.slack.control.reply(card, text, user, { fields: other });
    await post('Deployed 2.1', bot.id);
    const missed = await post('Mention the CLI', bob);
    await program.restart();
    await sentLater(program, missed);
    expect(prompts(program)).toEqual([['Add a quickstart', 'Mention the CLI']]);
  });

  test.each([
    ['if that app is this program', strictApp.botId, false],
    [
      'while Slack does not say that a person stands behind it, even where everybody is let in',
      other.bot_id,
      true,
    ],
  ])('is nothing %s', async (_what, bot_id, isUnknown) => {
    const { program } = await withNobodies(everybody);
    if (isUnknown) program.slack.onCall(({ method }) => (method === 'users.info' ? { status: 503 } : null));
    await nothingFollows(program, async () => {
      const text = `${mention} Document 2.1`;
      const posted = program.slack.control.message({ channel: general, user: bob, text, fields: { bot_id } });
      await program.clock.advance(5_000);
      await posted;
    });
  });
});
