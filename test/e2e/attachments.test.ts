import { expect, onTestFinished, test } from 'vitest';
import { includes, present, some } from '../support/is.ts';
import { bob, general } from '../support/local-slack.ts';
import type { FileDraft } from '../support/strict-slack/files.ts';
import { strictApp } from '../support/strict-slack/ids.ts';
import { type Program, type ProgramOptions, startProgram } from '../support/strict-slack/program.ts';
import { openThreadForm } from './support/posts.ts';

const snippet: FileDraft = { name: 'notes.txt', content: 'Use <b> & "c"\nTwo', mode: 'snippet' };
const picture: FileDraft = { name: 'a.png', content: Buffer.of(1), mimetype: 'image/png', filetype: 'png' };

async function working(options: ProgramOptions = {}) {
  const program = await startProgram(options);
  onTestFinished(() => program[Symbol.asyncDispose]());
  const card = await program.working();
  const reply = (text: string, ...files: readonly FileDraft[]) =>
    program.slack.control.reply(card, text, bob, { files });
  const sent = async () => {
    await program.later(() => followUps(program), some, 'the follow-up');
    return followUps(program);
  };
  const notSent = async () => (await program.threadMessage(card, 'Not sent')).text;
  return { program, card, reply, sent, notSent };
}

const followUps = (program: Program) => program.api.jobs[0]?.prompts.slice(1) ?? [];

const withNotes = 'See the notes\n\nnotes.txt:\nUse <b> & "c"\nTwo';

test('a text snippet goes to the agent with its reply, as it is; a picture is named (F5)', async () => {
  const { reply, sent, notSent } = await working();
  await reply('See the notes', snippet, picture);
  await reply('Later');
  expect(await sent()).toEqual([`${withNotes}\n\nLater`]);
  expect(await notSent()).toBe('📎 *Not sent:* 1 image (a.png). The agent takes text only.');
});

test('what came along with an aside goes along when an edit makes a reply of it (F4, F5)', async () => {
  const { program, reply, sent, notSent } = await working();
  const aside = await reply('aside: see the notes', snippet, picture);
  await program.clock.advance(5_000);
  await program.slack.control.editMessage(aside, 'See the notes');
  expect(await sent()).toEqual([withNotes]);
  expect(await notSent()).toContain('1 image (a.png).');
});

test('without the scope to read files, the snippet is named and the rest goes out (F5)', async () => {
  const { program, reply, sent, notSent } = await working();
  program.slack.onCall(({ method }) => (method === 'file_download' ? { status: 403 } : null));
  await reply('See the notes', snippet);
  expect(await sent()).toEqual(['See the notes']);
  expect(await notSent()).toContain("notes.txt · Slack doesn't let me read it");
});

test('a snippet waits while Slack does not give it, and the replies after it keep their order (F5)', async () => {
  const { program, reply, sent } = await working();
  let tries = 0;
  program.slack.onCall(({ method }) => {
    if (method !== 'file_download') return null;
    tries += 1;
    return tries < 3 ? { status: 503 } : null;
  });
  await reply('See the notes', snippet);
  await reply('Later');
  expect((await sent()).join()).toMatch(/notes.txt:.*Later/s);
  expect(tries).toBe(3);
});

test('in a channel that is shared with another workspace, Slack is asked what a file is (F5)', async () => {
  const configFile = `access: { other_workspaces: true, shared_channels: [${general}] }`;
  const { program, card, sent, notSent } = await working({ configFile });
  const { control } = program.slack;
  control.addUser({ id: 'U0OLGA', name: 'olga', teamId: 'T0OTHER' });
  control.invite(general, 'U0OLGA');
  await control.reply(card, 'See the notes', 'U0OLGA', { files: [snippet, picture] });
  expect(await sent()).toEqual([withNotes]);
  expect(await notSent()).toContain('1 image (a.png).');
});

test('of a thread, snippets go along, those of the mention too, and pictures are named (F5)', async () => {
  await using program = await startProgram();
  const write = (text: string, files: readonly FileDraft[], threadTs?: string) =>
    program.slack.control.message({ channel: general, user: bob, text, files, threadTs });
  const root = await write('See the picture', [picture]);
  await write('', [snippet], root.ts);
  const mine = { ...snippet, name: 'mine.txt', content: 'my own' };
  await write(`<@${strictApp.botUserId}>`, [mine], root.ts);
  await openThreadForm(program, bob, 'See the picture');
  const form = JSON.stringify(program.slack.control.modal(bob)?.blocks);
  expect(form).toContain('[notes.txt]');
  expect(form).toContain('See mine.txt');
  await program.slack.control.submit(bob);
  const given = () => program.api.jobs[0]?.prompts[0];
  const prompt = await program.later(given, present, 'the job');
  expect(prompt).toMatch(/^See mine.txt\n\nContext.*See the picture\nbob: \[notes.txt\]\n/s);
  expect(prompt).toMatch(/mine.txt:\nmy own\n\nnotes.txt:\nUse <b> & "c"\nTwo$/s);
  const said = async () => (await program.slack.control.messages(general)).map(({ text }) => text).join();
  await program.later(said, includes('Not sent:* 1 image'), 'the picture to be named');
});
