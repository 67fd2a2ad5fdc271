import { expect, test } from 'vitest';
import { alice, bob, general } from '../support/local-slack.ts';
import { startProgram } from '../support/strict-slack/program.ts';

const typed = (user: string, text: string) => ({ channel: general, user, text });

test('a command in hand when a stop begins is answered; one that comes after is neither answered nor started', async () => {
  await using program = await startProgram();
  const { slack } = program;
  const answer = Promise.withResolvers<void>();
  slack.onCall(({ method }) => (method === 'users.info' ? { answerAfter: answer.promise } : null));
  const inFlight = slack.control.command(typed(alice, 'Add a quickstart'));
  await expect
    .poll(() => slack.calls('users.info').length, { message: 'the command to be in hand' })
    .toBeTruthy();

  const stopped = program.service.stop();
  const late = slack.control.command(typed(bob, 'Too late'));
  await expect.poll(() => program.log.join(), { message: 'it to be left' }).toContain('inbound_request_left');
  answer.resolve();
  expect(await inFlight).toMatchObject({ acknowledged: true });
  await stopped;
  expect(await late).toMatchObject({ acknowledged: false });

  await program.restart();
  await program.later(() => program.api.jobs.length, Boolean, 'the job');
  await program.clock.advance(10_000);
  expect(program.api.jobs.map(({ prompts }) => prompts)).toEqual([['Add a quickstart']]);
});
