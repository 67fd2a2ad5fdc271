import { expect, test } from 'vitest';
import { includes } from '../support/is.ts';
import { alice, bob, type SlackMessage } from '../support/local-slack.ts';
import { type Program, startProgram } from '../support/strict-slack/program.ts';
import { receipt } from './support/posts.ts';
import { watched } from './support/turns.ts';

const PR = 'https://github.com/acme/docs/pull/1';
const OTHER_PR = 'https://github.com/acme/docs/pull/2';
const link = `<${PR}|acme/docs#1>`;
const otherLink = `<${OTHER_PR}|acme/docs#2>`;
const ENDS = /^\S+ (?:<@\w+> )*\*(?:Pull request|Another|Updated|Done|Failed|Archived)/;

/** The messages that say how a turn ended. */
const ends = async (program: Program, card: SlackMessage) =>
  (await program.posts(card)).flatMap(({ text }) => (ENDS.test(text) ? [text] : []));

const messages = ({ api, later }: Program, count: number) =>
  later(() => api.counts.message, count, 'the replies at the agent');

test('another pull request in a later turn, then an update of it: each tells who waited, and how many replies it includes (W3)', async () => {
  await using program = await startProgram();
  const { control } = program.slack;
  const { card, finish } = await watched(program);
  // It came just before the end of the turn, which is told at once, and not again.
  await control.reply(card, 'In the docs of the API');
  await messages(program, 1);
  finish('completed', PR);
  await program.threadMessage(card, '🎉');
  await program.shows(card, '✅ *Pull request ready*');
  await program.clock.advance(180_000);

  await control.reply(card, 'Shorter, please');
  await control.reply(card, 'And a table', alice);
  await messages(program, 2);
  finish('active', null);
  await program.shows(card, '⚙️ *Working on 2 replies*');
  finish('completed', OTHER_PR);
  await program.threadMessage(card, 'Another');

  await control.reply(card, 'One more thing');
  await messages(program, 3);
  finish('active', null);
  await program.shows(card, '⚙️ *Working on 1 reply*');
  finish('completed', OTHER_PR);
  await program.threadMessage(card, 'Updated');
  await program.shows(card, `✅ *Updated* · ${otherLink} · 1 reply included`);

  await program.clock.advance(180_000);
  expect(await ends(program, card)).toEqual([
    expect.stringContaining(`🎉 <@${alice}> <@${bob}> *Pull request ready:* ${link}`),
    expect.stringMatching(
      `^🎉 <@${alice}> <@${bob}> \\*Another pull request:\\* ${escaped(otherLink)}\\ntook \\d+ s · 2 replies included`,
    ),
    `✅ <@${bob}> *Updated:* ${otherLink} · 1 reply included`,
  ]);
});

test('replies that the end of a turn may not include: it warns, and they are sent again by whoever presses the button (W3)', async () => {
  await using program = await startProgram();
  const { api } = program;
  const { control } = program.slack;
  const { card, finish } = await watched(program);
  api.failNext('message', { status: 400, body: { error: 'not now' } });
  const replies = [await control.reply(card, 'Shorter, please'), await control.reply(card, 'And a table')];
  await program.threadMessage(card, 'Not sent');
  finish('completed', PR);
  const end = await program.threadMessage(card, '🎉');
  expect(end.text).toMatch(new RegExp(`^🎉 <@${alice}> <@${bob}> \\*Pull request ready:`));
  expect(end.text).toMatch(/⚠️ 2 replies may not be included\.\n\[Send again\]$/);
  await program.shows(card, '⚠️ 2 replies may not be included');

  await control.press(end, 'send_again', alice);
  await messages(program, 2);
  const decided = async () => (await program.posts(card, 'alice sent them again')).map(({ ts }) => ts);
  await program.later(decided, includes(end.ts), 'the message to say who sent them again');
  expect(api.jobs[0]?.prompts.at(-1)).toBe('Shorter, please\n\nAnd a table');
  for (const one of replies) await receipt(control, one, 'white_check_mark');
  finish('active', null);
  expect((await program.shows(card, 'Working on 2 replies')).text).not.toContain('may not be included');
  finish('completed', PR);
  await program.threadMessage(card, 'Updated');
  expect((await ends(program, card)).at(-1)).toBe(`✅ <@${bob}> *Updated:* ${link} · 2 replies included`);
});

test.each([
  ['a failure', 'failed', `❌ <@${alice}> *Failed.*`, '❌ *Failed*'],
  ['the archiving', 'archived', '⚪ *Archived.* A reply may still reopen it.', '⚪ *Archived*'],
])('%s with another pull request says both (W3)', async (_what, status, words, onCard) => {
  await using program = await startProgram();
  const { card, finish } = await watched(program);
  finish('completed', PR);
  await program.threadMessage(card, '🎉');
  await program.slack.control.reply(card, 'Shorter, please');
  await messages(program, 1);
  finish(status, OTHER_PR);
  const told = await program.threadMessage(card, 'Another pull request');
  expect(told.text).toContain(words);
  expect(told.text).toMatch(new RegExp(`<@${bob}> \\*Another pull request:\\* ${escaped(otherLink)}`));
  await program.shows(card, onCard);
  await program.clock.advance(180_000);
  expect(await ends(program, card)).toHaveLength(2);
});

function escaped(text: string): string {
  return text.replace(/[|.*]/g, String.raw`\$&`);
}
