import { expect, test } from 'vitest';
import { startProgram } from '../support/strict-slack/program.ts';
import type { StrictFault } from '../support/strict-slack/web-api.ts';

test('the pace of a card’s edits is no failure: one error of Slack puts the card off for seconds; it is kept over a restart, and what was put off is drawn', async () => {
  await using program = await startProgram({ settings: { FOLLOW_UP_WINDOW: '5m' } });
  const { clock, slack } = program;
  const card = await program.working();
  await clock.advance(10_000);
  const editedAtMs: number[] = [];
  const faults: StrictFault[] = [];
  slack.onCall(({ method }) => {
    if (method !== 'chat.update') return null;
    editedAtMs.push(clock.now());
    return faults.shift() ?? null;
  });
  const reply = (text: string) => slack.control.reply(card, text);
  const shows = (words: string) => program.shows(card, words);
  await reply('Reply 1');
  await shows('1 reply waiting');
  for (let count = 2; count <= 9; count += 1) await reply(`Reply ${count}`);
  faults.push({ status: 500 });
  const before = editedAtMs.length;
  await clock.advance(3_000);
  await expect.poll(() => editedAtMs.length, { message: 'the edit that fails' }).toBe(before + 1);
  await expect.poll(() => slack.inFlight(), { message: 'its answer' }).toBe(0);
  await clock.advance(6_000);
  await expect.poll(() => editedAtMs.length, { message: 'the next edit' }).toBe(before + 2);
  await shows('9 replies waiting');
  await program.restart();
  await reply('Reply 10');
  await shows('10 replies waiting');
  const gapsMs = editedAtMs.slice(1).map((atMs, index) => atMs - (editedAtMs[index] ?? 0));
  expect(Math.min(...gapsMs)).toBeGreaterThanOrEqual(3_000);
});
