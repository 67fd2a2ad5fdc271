import { expect, test } from 'vitest';
import { includes, says } from '../support/is.ts';
import { alice, bob, general, random } from '../support/local-slack.ts';
import { type Program, startProgram } from '../support/strict-slack/program.ts';

const shown = ({ slack }: Program, user: string) => JSON.stringify(slack.control.modal(user)?.blocks ?? []);

test('*Stop watching* in *Details* of a card works for anybody who sees the card, once (L1, W4)', async () => {
  await using program = await startProgram();
  const { slack, api, clock } = program;
  const card = await program.working();
  for (const user of [alice, bob]) {
    await slack.control.press(card, 'show_job', user);
    await program.later(
      () => shown(program, user),
      includes('The agent itself keeps working'),
      'the way to stop watching',
    );
  }
  await slack.control.pressInView(bob, 'stop_watching');
  await program.later(
    () => shown(program, bob),
    (modal) => modal.includes('No longer watching') && !modal.includes('"stop_watching"'),
    'the modal after the press',
  );
  // Her modal is older than his press.
  await slack.control.pressInView(alice, 'stop_watching');
  await program.later(
    () => shown(program, alice),
    includes('Already done: ⚪ *No longer watching*'),
    'the reason',
  );
  const unwatched = await program.shows(card, '[Resume watching]');
  const reads = api.counts.get;
  await clock.advance(60_000);
  expect(api.counts.get).toBe(reads);
  await slack.control.press(unwatched, 'resume_watching', bob);
  api.finish(0, { status: 'completed' });
  await program.threadMessage(card, 'Done, no pull request');
});

test.each([
  ['*Details* that Slack does not open as a modal', general],
  ['`status` in another channel', random],
])('%s has *Stop watching*, too, and shows the job without it then (L1, W4)', async (_where, channel) => {
  await using program = await startProgram();
  const { slack, api, clock } = program;
  const { control } = slack;
  const card = await program.working();
  slack.onCall(({ method }) => (method === 'views.open' ? { error: 'expired_trigger_id' } : null));
  if (channel === general) await control.press(card, 'show_job', alice);
  else await control.command({ channel, user: alice, text: 'status' });
  const answer = (words: string) =>
    program.later(
      async () => (await control.messages(channel)).findLast(({ ephemeral_to }) => ephemeral_to === alice),
      says(words),
      words,
    );
  const shown = await answer('[Stop watching]');
  if (shown !== undefined) await control.press(shown, 'stop_watching', alice);
  const after = await answer('No longer watching');
  expect(after?.text).not.toContain('[Stop watching]');
  expect(after?.ts).toBe(shown?.ts);
  const reads = api.counts.get;
  await clock.advance(60_000);
  expect(api.counts.get).toBe(reads);
});
