import { expect, test } from 'vitest';
import { has } from '../support/is.ts';
import { strictApp } from '../support/strict-slack/ids.ts';
import { startProgram } from '../support/strict-slack/program.ts';
import { receipt } from './support/posts.ts';

test('asides and muted replies stay in the thread and have receipts, mentions get through, and the thread says who changed it (F4)', async () => {
  await using program = await startProgram();
  const { api, later, slack } = program;
  const card = await program.working();
  const reply = (text: string) => slack.control.reply(card, text);
  const prompts = () => api.jobs[0]?.prompts.slice(1);

  const aside = await reply('Aside: lunch?');
  await reply('mute');
  expect((await program.threadMessage(card, 'Muted')).text).toBe(
    '🔇 *Muted by bob.* Replies stay between people until `unmute`; mentions still reach the agent.',
  );
  await program.shows(card, '🔇 Muted: only mentions reach the agent');
  const muted = await reply('Who is at the office?');
  await reply(`<@${strictApp.botUserId}> Mention the CLI`);
  await later(prompts, has(1), 'the mention to go out');

  await reply('unmute');
  expect((await program.threadMessage(card, 'Unmuted')).text).toBe('🔔 *Unmuted by bob.*');
  const edited = await reply('And the API');
  await receipt(slack.control, edited, 'eyes');
  // Its author makes an aside of it, and a reply again.
  await slack.control.editMessage(edited, 'aside: and the API');
  await receipt(slack.control, edited, 'speech_balloon');
  await program.clock.advance(60_000);
  expect(prompts()).toEqual(['Mention the CLI']);
  await slack.control.editMessage(edited, 'And the form');
  await later(prompts, has(2), 'the reply to go out');
  expect(prompts()?.[1]).toBe('And the form');
  await receipt(slack.control, edited, 'white_check_mark');
  expect((await program.shows(card, 'Working')).text).not.toContain('Muted');
  await receipt(slack.control, aside, 'speech_balloon');
  await receipt(slack.control, muted, 'mute');
  // Nothing private but the offer that comes with the mention, if it comes before the thread is unmuted.
  const told = slack.calls('chat.postEphemeral').map(({ args }) => String(args.text));
  expect(told.filter((text) => !text.startsWith('🧵 *Send what was said since, too?*'))).toEqual([]);
});
