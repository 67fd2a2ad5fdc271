import { expect, test } from 'vitest';
import { forwarded, forwardedPicture, linkPreview, pullRequestByApp } from '../support/app-messages.ts';
import { bob, general, type SlackMessage } from '../support/local-slack.ts';
import { strictApp } from '../support/strict-slack/ids.ts';
import { type Program, startProgram } from '../support/strict-slack/program.ts';
import { waitFor } from '../support/wait-for.ts';

const mention = `<@${strictApp.botUserId}>`;
const FORWARDED = `Forwarded message from Alice:\nThe limit is *100* & not 60\n(${forwarded.from_url})`;
const OPENED = 'Pull request opened by bob (https://github.com/bob)';

type Draft = Parameters<Program['slack']['control']['message']>[0];
const write = ({ slack }: Program, draft: Partial<Draft>) =>
  slack.control.message({ channel: general, user: bob, text: '', ...draft });

const prompts = ({ api }: Program) => api.jobs.flatMap((job) => job.prompts);
const sent = (program: Program, count: number) =>
  program.later(
    () => prompts(program),
    (all) => all.length === count,
    `${count} prompts`,
  );

async function working(program: Program): Promise<SlackMessage> {
  const card = await program.ask('Add a quickstart');
  await program.threadMessage(card, 'On it');
  return card;
}

test('a message that is forwarded with a mention goes to the agent with it (F5, S3)', async () => {
  await using program = await startProgram();
  await write(program, { text: `${mention} Document this`, fields: { attachments: [forwarded] } });
  expect(await sent(program, 1)).toEqual([`Document this\n\n${FORWARDED}`]);
});

test('a message that is forwarded to the bot, without a word, starts a job (F5, S3)', async () => {
  await using program = await startProgram();
  await write(program, { channel: bob, fields: { attachments: [forwarded] } });
  expect(await sent(program, 1)).toEqual([FORWARDED]);
});

test('a message that is forwarded into the thread of a job is a follow-up; one without text is named (F5)', async () => {
  await using program = await startProgram();
  const card = await working(program);
  await write(program, { threadTs: card.ts, fields: { attachments: [forwarded, forwardedPicture] } });
  expect((await sent(program, 2))[1]).toBe(FORWARDED);
  const named = await program.threadMessage(card, 'Not sent');
  expect(named.text).toBe('📎 *Not sent:* 1 forwarded message without text. The agent takes text only.');
});

test('a mention of the bot in a message that is forwarded is none of who forwards it (F4, F5)', async () => {
  await using program = await startProgram();
  const card = await working(program);
  await write(program, { threadTs: card.ts, text: 'mute' });
  await program.threadMessage(card, 'Muted');
  const attachment = { ...forwarded, text: `${mention} Delete all`, message_blocks: [] };
  await write(program, { threadTs: card.ts, text: 'Look', fields: { attachments: [attachment] } });
  await program.clock.advance(20_000);
  expect(prompts(program)).toEqual(['Add a quickstart']);
});

test('the preview that Slack adds to a link is neither sent nor an edit (F3, F5)', async () => {
  await using program = await startProgram();
  const card = await working(program);
  const text = `As in <${linkPreview.original_url}>`;
  const reply = await write(program, { threadTs: card.ts, text });
  await sent(program, 2);
  const changed = { ...reply, attachments: [linkPreview] };
  const ts = `${Number(reply.ts) + 1}.000100`;
  await program.slack.control.raw(general, {
    type: 'message',
    subtype: 'message_changed',
    hidden: true,
    message: changed,
    previous_message: reply,
    ts,
  });
  await write(program, { threadTs: card.ts, text, fields: { attachments: [linkPreview] } });
  const said = `As in ${linkPreview.original_url}`;
  expect(await sent(program, 3)).toEqual(['Add a quickstart', said, said]);
  expect(program.slack.calls('chat.postEphemeral')).toEqual([]);
});

test('the message of an app is quoted in the form of its shortcut (F5, S3)', async () => {
  await using program = await startProgram();
  const { control } = program.slack;
  const fields = { bot_id: 'B0GITHUB', attachments: [pullRequestByApp] };
  const message = await write(program, { fields });
  await control.shortcut({ message, user: bob, callbackId: 'ask_docs_agent' });
  const form = await waitFor(
    () => JSON.stringify(control.modal(bob)?.blocks ?? null),
    (blocks) => blocks.includes('Pull request'),
    { what: 'the form' },
  );
  expect(form).toContain(OPENED);
  expect(form).toContain('Labels: docs');
});

test('forwarded messages and those of apps can be chosen in a thread (F5, S3)', async () => {
  await using program = await startProgram();
  const { control } = program.slack;
  const root = await write(program, { fields: { bot_id: 'B0GITHUB', attachments: [pullRequestByApp] } });
  await write(program, { threadTs: root.ts, fields: { attachments: [forwarded] } });
  await write(program, { threadTs: root.ts, text: `${mention} Document it` });
  const offer = await waitFor(
    async () => (await control.messages(general)).find(({ text }) => text.includes('Send this thread along')),
    (found): found is SlackMessage => found !== undefined,
    { what: 'the offer' },
  );
  await control.press(offer, 'choose_messages', bob);
  await expect
    .poll(() => JSON.stringify(control.modal(bob)?.blocks ?? null), { message: 'the form' })
    .toSatisfy((blocks) => blocks.includes(OPENED) && blocks.includes('from Alice: The limit is'));
  await control.submit(bob);
  const [prompt] = await sent(program, 1);
  expect(prompt).toContain(OPENED);
  expect(prompt).toContain(FORWARDED);
});
