import { expect, test } from 'vitest';
import { has } from '../support/is.ts';
import { bob, general } from '../support/local-slack.ts';
import { strictApp } from '../support/strict-slack/ids.ts';
import { startProgram } from '../support/strict-slack/program.ts';
import { receipt, saying } from './support/posts.ts';

const { botUserId, botId } = strictApp;

test('a reply that is changed while it waits goes out as it reads then, or not at all; once sent, its author is offered the correction, once (F3)', async () => {
  await using program = await startProgram();
  const { api, clock, later } = program;
  const { control } = program.slack;
  const card = await program.working();
  const prompts = () => api.jobs[0]?.prompts;
  const changed = await control.reply(card, 'Mention teh CIL');
  const deleted = await control.reply(card, 'Never mind');
  await control.editMessage(changed, 'Mention teh CLI');
  await control.deleteMessage(deleted);
  await clock.advance(4_000);
  await receipt(control, changed, 'white_check_mark');
  expect(prompts()).toEqual(['Add a quickstart', 'Mention teh CLI']);

  await control.editMessage(changed, 'Mention the CLI');
  const offers = async () => saying(await control.messages(general), 'You edited a reply');
  const [offer] = await later(offers, has(1), 'the offer');
  if (offer === undefined) throw new Error('there is no offer');
  expect(offer).toMatchObject({ ephemeral_to: bob, thread_ts: card.ts });
  await program.restart();
  const press = () => control.press(offer, 'send_correction', bob);
  await press();
  await press();
  await later(prompts, has(3), 'the correction');
  await receipt(control, changed, 'white_check_mark');
  await press();
  await clock.advance(10_000);
  expect(prompts()?.slice(2)).toEqual(['Correction of an earlier message: Mention the CLI']);
  await receipt(control, changed, 'white_check_mark');
});

test('replies that wait are counted on the card, with the time and *Send now*, which works once and then says so (F2, F3)', async () => {
  await using program = await startProgram({ settings: { FOLLOW_UP_WINDOW: '60s' } });
  const { api, later } = program;
  const { control } = program.slack;
  const card = await program.working();
  await control.reply(card, 'Use the CLI');
  const waiting = await program.shows(card, 'Send now');
  expect(waiting.text).toMatch(/1 reply waiting until <!date/);
  await control.press(waiting, 'send_now', bob);
  await expect.poll(() => api.counts.message, { message: 'the follow-up' }).toBe(1);
  await control.press(waiting, 'send_now', bob);
  await later(async () => saying(await control.messages(general), 'Already done'), has(1), 'the answer');
  const shown = async () => (await control.thread(general, card.ts))[0]?.text.includes('Send now');
  await later(shown, false, 'the card without it');
  expect(api.counts.message).toBe(1);
});

test('changes that Slack delivers late, twice, or before the message count in their order (F3)', async () => {
  await using program = await startProgram();
  const { api, clock } = program;
  const { control } = program.slack;
  const card = await program.working();
  let seconds = Math.trunc(clock.now() / 1000);
  const raw = (event: object) => control.raw(general, { type: 'message', ...event });
  /** A reply, of which nothing was delivered yet. */
  const reply = () => {
    seconds += 1;
    const ts = `${seconds}.000100`;
    const message = (text: string) => ({ type: 'message', user: bob, ts, thread_ts: card.ts, text });
    const changed = (more: object) =>
      raw({ subtype: 'message_changed', message: { ...message('See https://example.com'), ...more } });
    return {
      written: (text: string) => raw(message(text)),
      changed,
      edited: (text: string, micros: number) =>
        changed({ text, edited: { user: bob, ts: `${seconds + 1}.000${micros}` } }),
      deleted: () => raw({ subtype: 'message_deleted', deleted_ts: ts, previous_message: message('Gone') }),
    };
  };
  const overtaken = reply();
  await overtaken.edited('As edited', 100);
  await overtaken.written('As written');
  const gone = reply();
  await gone.deleted();
  await gone.written('Gone');
  const disordered = reply();
  await disordered.written('One');
  await disordered.edited('Three', 300);
  await disordered.edited('Three', 300);
  await disordered.edited('Two', 200);
  const previewed = reply();
  await previewed.written('See https://example.com');
  await previewed.changed({ attachments: [{}] });
  await clock.advance(4_000);
  const sent = () => api.jobs[0]?.prompts.slice(1);
  const expected = ['As edited\n\nThree\n\nSee https://example.com'];
  await expect.poll(sent, { message: 'the message' }).toEqual(expected);

  // Nothing follows from an edit of what was sent, or of what the bot wrote.
  await disordered.edited('Too late', 400);
  await reply().changed({
    user: botUserId,
    bot_id: botId,
    edited: { user: botUserId, ts: '9999999999.000100' },
  });
  await clock.advance(14_000);
  expect(sent()).toEqual(expected);
});
