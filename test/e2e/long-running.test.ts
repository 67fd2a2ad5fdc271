import { expect, test } from 'vitest';
import { has } from '../support/is.ts';
import { alice, bob, general } from '../support/local-slack.ts';
import { startProgram } from '../support/strict-slack/program.ts';
import { saying } from './support/posts.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

test('a turn that lasts long is asked about once, and again after *Keep watching*; it can be left alone, and watched again after weeks and a restart; the agent itself goes on (W4)', async () => {
  await using program = await startProgram({ settings: { LONG_RUNNING_AFTER: '1m' } });
  const { api, clock, later } = program;
  const { control } = program.slack;
  const card = await program.working();
  await clock.advance(2 * MINUTE_MS);
  const question = await program.threadMessage(card, 'Still working');
  await clock.advance(5 * MINUTE_MS);
  const questions = () => program.posts(card, 'Keep watching?');
  expect(await questions()).toHaveLength(1);
  await control.press(question, 'keep_watching', bob);
  await expect.poll(questions, { message: 'the question to be answered in place' }).toEqual([]);
  await clock.advance(2 * MINUTE_MS);
  const [next] = await later(questions, has(1), 'the next question');

  await control.press(next ?? card, 'stop_watching', bob);
  const unwatched = await program.shows(card, 'No longer watching');
  expect(unwatched.text).toContain('the agent may still be working');
  await later(() => program.posts(card, 'bob stopped watching'), has(1), 'who answered it');
  const reads = api.counts.get;
  await program.service.stop();
  await clock.advance(21 * DAY_MS);
  await program.restart();
  await clock.advance(5 * MINUTE_MS);
  expect(api.counts.get).toBe(reads);

  api.finish(0, { status: 'completed', prLink: 'https://github.com/acme/docs/pull/1' });
  await control.press(unwatched, 'resume_watching', alice);
  await program.threadMessage(card, '🎉');
  // Both buttons are too late now, and say so to whoever presses them.
  await control.press(unwatched, 'resume_watching', bob);
  await control.press(next ?? card, 'keep_watching', bob);
  await later(async () => saying(await control.messages(general), 'Already done'), has(2), 'the answers');
});
