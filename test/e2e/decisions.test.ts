import { expect, test } from 'vitest';
import { has, present } from '../support/is.ts';
import { alice, bob, general, type SlackMessage } from '../support/local-slack.ts';
import { type Program, startProgram } from '../support/strict-slack/program.ts';
import { saying } from './support/posts.ts';

const BUSY = { status: 429, headers: { 'retry-after': '5' } } as const;
const REFUSED = { status: 400, body: { error: 'not now' } } as const;

const tooLate =
  ({ slack }: Program) =>
  async () =>
    saying(await slack.control.messages(general), 'Already done');

const buttonsOf = ({ blocks = [] }: SlackMessage) =>
  blocks.flatMap(({ elements = [] }) => elements.flatMap(({ action_id }) => action_id ?? []));

const failed = async (program: Program) => {
  const card = await program.working();
  program.api.finish(0, { status: 'failed' });
  return { card, offer: await program.threadMessage(card, '*Failed.*') };
};

/** The offer, once it says who used it: the start's own message says so, too. */
const startedAgain = async (program: Program, offer: SlackMessage) => {
  const edited = async () =>
    (await program.slack.control.messages(general)).find(
      ({ ts, text }) => ts === offer.ts && text.includes('started it again'),
    );
  return program.later(edited, present, 'the message to say who');
};

test('of two people who press at once one wins, the message names them and has no button any more, and the other learns it', async () => {
  await using program = await startProgram();
  const { control } = program.slack;
  const { offer } = await failed(program);
  expect(offer.text).toContain(`<@${alice}>`);
  await Promise.all([alice, bob].map((user) => control.press(offer, 'start_again', user)));
  const after = await startedAgain(program, offer);
  expect(buttonsOf(after)).toEqual([]);
  const who = /(\w+) started it again/.exec(after.text)?.[0];
  const [late] = await program.later(tooLate(program), has(1), 'the reason');
  expect(late?.text).toContain(`Already done: ${who}.`);
  await program.clock.advance(5_000);
  expect(program.api.counts.create).toBe(2);
});

test('a button that was used on the card goes away in the thread, however long Slack refuses the edit, and by the next process if this one ends', async () => {
  await using program = await startProgram();
  const { card, offer } = await failed(program);
  const offering = await program.shows(card, '[Start again]');
  program.slack.fail('chat.update', BUSY, BUSY, BUSY);
  await program.slack.control.press(offering, 'start_again', bob);
  await program.restart();
  expect(buttonsOf(await startedAgain(program, offer))).toEqual([]);
});

test('the buttons of replies that were not sent, and of the end of a turn that may not include them, go together; the card offers *Send again*, too (F1)', async () => {
  await using program = await startProgram();
  const { api, slack, later } = program;
  const { control } = slack;
  const card = await program.working();
  api.failNext('message', REFUSED);
  await control.reply(card, 'Use the CLI');
  const refused = await program.threadMessage(card, 'Not sent');
  expect(refused.text).toContain(`<@${bob}>`);
  const offering = await program.shows(card, '[Send again]');
  api.finish(0, { status: 'completed' });
  const end = await program.threadMessage(card, '1 reply may not be included');
  await control.press(offering, 'send_again', alice);
  const after = await later(() => program.posts(card, 'alice sent it again'), has(2), 'both messages');
  expect(after.map((post) => [post.ts, buttonsOf(post)])).toEqual([
    [refused.ts, []],
    [end.ts, ['follow_up']],
  ]);
  await control.press(end, 'send_again', bob);
  const [late] = await later(tooLate(program), has(1), 'the reason');
  expect(late?.text).toContain('sent it again');
  await later(() => api.jobs[0]?.prompts.length, 2, 'the follow-up');
});

test('a question loses its buttons without a word when the job has gone on by itself', async () => {
  await using program = await startProgram({ settings: { LONG_RUNNING_AFTER: '1m' } });
  const card = await program.working();
  await program.clock.advance(120_000);
  await program.threadMessage(card, 'Still working after');
  program.api.finish(0, { status: 'completed' });
  const [after] = await program.later(
    () => program.posts(card, 'Still working after'),
    ([post]) => post !== undefined && buttonsOf(post).length === 0,
    'the question to lose its buttons',
  );
  expect(after?.text.split('\n')).toEqual([expect.stringMatching(/after \d+ min\.\*$/)]);
});
