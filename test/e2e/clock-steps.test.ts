import { expect, test } from 'vitest';
import { alice, general } from '../support/local-slack.ts';
import { startProgram } from '../support/strict-slack/program.ts';

const AN_HOUR_MS = 3_600_000;

test.each([
  ['the clock is put forward', 'step'],
  ['the machine sleeps', 'freeze'],
] as const)('%s by an hour while a card is on its way: one card, and one job', async (_what, verb) => {
  await using program = await startProgram();
  const { slack, clock } = program;
  const answer = Promise.withResolvers<void>();
  slack.onCall(({ method }) => (method === 'chat.postMessage' ? { answerAfter: answer.promise } : null));
  const posts = () => slack.calls('chat.postMessage').length;
  const asked = slack.control.command({ channel: general, user: alice, text: 'Add a quickstart' });
  await program.later(posts, Boolean, 'the card to be on its way');
  await asked;
  clock[verb](AN_HOUR_MS);
  for (let second = 0; second < 40; second += 1) await clock.advance(1_000);
  expect({ posts: posts(), looks: slack.calls('conversations.history').length }).toEqual({
    posts: 1,
    looks: 0,
  });
  slack.onCall(() => null);
  answer.resolve();
  await program.later(() => program.api.jobs.length, Boolean, 'the job');
  await program.later(posts, (count) => count > 1, 'the thread to be told');
  expect(posts()).toBe(2);
});
