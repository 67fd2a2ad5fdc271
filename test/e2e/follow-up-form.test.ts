import { expect, test } from 'vitest';
import { present, some } from '../support/is.ts';
import { alice, bob } from '../support/local-slack.ts';
import { type Program, startProgram } from '../support/strict-slack/program.ts';
import { waitFor } from '../support/wait-for.ts';

async function finished(program: Program) {
  const card = await program.working();
  program.api.finish(0, { status: 'completed' });
  return { card, end: await program.threadMessage(card, 'Done, no pull request') };
}

const form = (program: Program, user: string) =>
  waitFor(() => program.slack.control.modal(user), present, { what: 'the form' });

const followUps = (program: Program) => program.api.jobs[0]?.prompts.slice(1) ?? [];

test('*Follow up* asks for one after an end without a pull request, and shows in the thread who wrote it (W3)', async () => {
  await using program = await startProgram();
  const { card, end } = await finished(program);
  const { control } = program.slack;
  await control.press(end, 'follow_up', bob);
  await form(program, bob);
  expect((await control.submit(bob, { prompt: '\u200b' })).errors?.prompt).toContain(
    'Write what should change.',
  );
  expect((await control.submit(bob, { prompt: 'Add <b> & a table' })).errors).toBeNull();
  const shown = await program.threadMessage(card, '*Reply*');
  expect(shown.text).toBe(`💬 *Reply* by bob\n“Add &lt;b&gt; &amp; a table”`);
  await program.later(() => followUps(program), some, 'the follow-up');
  expect(followUps(program)).toEqual(['Add <b> & a table']);
  await program.later(() => control.reactions(shown), ['white_check_mark'], 'the receipt');
});

test('what is written in the form goes to the agent, even if it begins like an aside (F4)', async () => {
  await using program = await startProgram();
  const { end } = await finished(program);
  const { control } = program.slack;
  await control.press(end, 'follow_up', bob);
  await form(program, bob);
  await control.submit(bob, { prompt: 'Aside: not one, but what the table is called' });
  await program.later(() => followUps(program), some, 'the follow-up');
});

test('the card offers it too; the form that is delivered three times sends one follow-up (W3)', async () => {
  await using program = await startProgram();
  const { card } = await finished(program);
  const { control } = program.slack;
  await control.press(await program.shows(card, 'Reply to the agent'), 'follow_up', alice);
  await form(program, alice);
  program.slack.onDelivery(() => 3);
  await control.submit(alice, { prompt: 'Add a table' });
  await program.later(() => followUps(program), some, 'the follow-up');
  await program.clock.advance(20_000);
  expect(followUps(program)).toEqual(['Add a table']);
});
