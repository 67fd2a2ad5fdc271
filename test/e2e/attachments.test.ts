import { describe, expect, test } from 'vitest';
import { bob, general } from '../support/local-slack.ts';
import type { FileDraft } from '../support/strict-slack/files.ts';
import { strictApp } from '../support/strict-slack/ids.ts';
import { type Program, startProgram } from '../support/strict-slack/program.ts';
import { waitFor } from '../support/wait-for.ts';

const snippet: FileDraft = { name: 'notes.txt', content: 'Use <b> & "c"\nTwo', mode: 'snippet' };
const picture: FileDraft = { name: 'a.png', content: Buffer.of(1), mimetype: 'image/png', filetype: 'png' };

async function working(program: Program) {
  const card = await program.ask('Add a quickstart');
  await program.threadMessage(card, 'On it');
  const reply = (text: string, files: readonly FileDraft[] = []) =>
    program.slack.control.message({ channel: general, user: bob, text, threadTs: card.ts, files });
  return { card, reply };
}

const followUps = (program: Program) => program.api.jobs[0]?.prompts.slice(1) ?? [];

test('a text snippet goes to the agent with its reply, as it is; a picture is named (F5)', async () => {
  await using program = await startProgram();
  const { card, reply } = await working(program);
  await reply('See the notes', [snippet, picture]);
  await reply('Later');
  await program.later(
    () => followUps(program),
    (all) => all.length > 0,
    'the follow-up',
  );
  expect(followUps(program)).toEqual(['See the notes\n\nnotes.txt:\nUse <b> & "c"\nTwo\n\nLater']);
  const named = await program.threadMessage(card, 'Not sent');
  expect(named.text).toBe('📎 *Not sent:* 1 image (a.png). The agent takes text only.');
});

test('a picture alone is named, and is no follow-up (F5)', async () => {
  await using program = await startProgram();
  const { card, reply } = await working(program);
  const message = await reply('', [picture]);
  await program.threadMessage(card, 'Not sent:* 1 image');
  await program.clock.advance(20_000);
  expect(followUps(program)).toEqual([]);
  expect(await program.slack.control.reactions(message)).toEqual([]);
});

test('what came along with an aside goes along when an edit makes a reply of it (F4, F5)', async () => {
  await using program = await startProgram();
  const { card, reply } = await working(program);
  const aside = await reply('aside: see the notes', [snippet, picture]);
  await program.clock.advance(5_000);
  await program.slack.control.editMessage(aside, 'See the notes');
  await program.later(
    () => followUps(program),
    (all) => all.length > 0,
    'the follow-up',
  );
  expect(followUps(program)).toEqual(['See the notes\n\nnotes.txt:\nUse <b> & "c"\nTwo']);
  expect((await program.threadMessage(card, 'Not sent')).text).toContain('1 image (a.png).');
});

test('without the scope to read files, the snippet is named and the rest goes out (F5)', async () => {
  await using program = await startProgram();
  const { card, reply } = await working(program);
  program.slack.onCall(({ method }) => (method === 'file_download' ? { status: 403 } : null));
  await reply('See the notes', [snippet]);
  await program.later(
    () => followUps(program),
    (all) => all.length > 0,
    'the follow-up',
  );
  expect(followUps(program)).toEqual(['See the notes']);
  expect((await program.threadMessage(card, 'Not sent')).text).toContain(
    "notes.txt · Slack doesn't let me read it",
  );
});

test('a snippet waits while Slack does not give it, and the replies after it keep their order (F5)', async () => {
  await using program = await startProgram();
  const { reply } = await working(program);
  let tries = 0;
  program.slack.onCall(({ method }) => {
    if (method !== 'file_download') return null;
    tries += 1;
    return tries < 3 ? { status: 503 } : null;
  });
  await reply('See the notes', [snippet]);
  await reply('Later');
  await program.later(
    () => followUps(program),
    (all) => all.length > 0,
    'the follow-up',
  );
  expect(tries).toBe(3);
  expect(followUps(program).join()).toMatch(/notes.txt:.*Later/s);
});

test('in a channel that is shared with another workspace, Slack is asked what a file is (F5)', async () => {
  await using program = await startProgram({
    configFile: `access: { other_workspaces: true, shared_channels: [${general}] }`,
  });
  const { card } = await working(program);
  const { control } = program.slack;
  control.addUser({ id: 'U0OLGA', name: 'olga', teamId: 'T0OTHER' });
  control.invite(general, 'U0OLGA');
  const files = [snippet, picture];
  await control.message({
    channel: general,
    user: 'U0OLGA',
    text: 'See the notes',
    threadTs: card.ts,
    files,
  });
  await program.later(
    () => followUps(program),
    (all) => all.length > 0,
    'the follow-up',
  );
  expect(followUps(program)).toEqual(['See the notes\n\nnotes.txt:\nUse <b> & "c"\nTwo']);
  expect((await program.threadMessage(card, 'Not sent')).text).toContain('1 image (a.png).');
});

test('a mention with a snippet starts a job with it (F5, S3)', async () => {
  await using program = await startProgram();
  const text = `<@${strictApp.botUserId}>`;
  await program.slack.control.message({ channel: general, user: bob, text, files: [snippet] });
  await program.later(
    () => program.api.jobs.length,
    (count) => count === 1,
    'the job',
  );
  expect(program.api.jobs[0]?.prompts).toEqual(['See notes.txt\n\nnotes.txt:\nUse <b> & "c"\nTwo']);
});

describe('what is chosen in a form (F5)', () => {
  const mention = `<@${strictApp.botUserId}>`;
  const prompts = ({ api }: Program) => api.jobs.map((job) => job.prompts.join());
  const form = ({ slack }: Program) =>
    waitFor(
      () => slack.control.modal(bob),
      (view) => view !== null,
      { what: 'form' },
    );
  const started = (program: Program) =>
    program.later(
      () => prompts(program),
      (all) => all.length > 0,
      'the job',
    );
  const namedIn = async ({ slack, later }: Program, words: string) =>
    later(
      async () => (await slack.control.messages(general)).map(({ text }) => text).join('\n'),
      (texts) => texts.includes(words),
      'the words in the channel',
    );

  test('of a thread: snippets go along, those of the mention too, and pictures are named', async () => {
    await using program = await startProgram();
    const { control } = program.slack;
    const write = (text: string, files: readonly FileDraft[], threadTs?: string) =>
      control.message({
        channel: general,
        user: bob,
        text,
        files,
        ...(threadTs === undefined ? {} : { threadTs }),
      });
    const root = await write('See the picture', [picture]);
    await write('', [snippet], root.ts);
    await write(mention, [{ ...snippet, name: 'mine.txt', content: 'my own' }], root.ts);
    const offer = await waitFor(
      async () =>
        (await control.messages(general)).find(({ text }) => text.includes('Send this thread along')),
      (found) => found !== undefined,
      { what: 'the offer' },
    );
    if (offer === undefined) throw new Error('no offer');
    await control.press(offer, 'choose_messages', bob);
    const shown = await waitFor(
      () => JSON.stringify(control.modal(bob)?.blocks),
      (text = '') => text.includes('See the picture'),
      { what: 'the form' },
    );
    expect(shown).toContain('[notes.txt]');
    expect(shown).toContain('See mine.txt');
    await control.submit(bob);
    await started(program);
    const [prompt] = prompts(program);
    expect(prompt).toMatch(/^See mine.txt\n\nContext.*See the picture\nbob: \[notes.txt\]\n/s);
    expect(prompt).toMatch(/mine.txt:\nmy own\n\nnotes.txt:\nUse <b> & "c"\nTwo$/s);
    await namedIn(program, 'Not sent:* 1 image');
  });

  test('of a message: its snippet goes along, its picture is named', async () => {
    await using program = await startProgram();
    const { control } = program.slack;
    const message = await control.message({
      channel: general,
      user: bob,
      text: '',
      files: [snippet, picture],
    });
    await control.shortcut({ message, user: bob, callbackId: 'ask_docs_agent' });
    expect(JSON.stringify(await form(program))).toContain('> [notes.txt, a.png]');
    await control.submit(bob, { prompt: 'Document this' });
    await started(program);
    expect(prompts(program)).toEqual(['Document this\n\nnotes.txt:\nUse <b> & "c"\nTwo']);
    await namedIn(program, 'Not sent:* 1 image');
  });
});

test('a direct message that is only a picture is told that it was not sent (F5)', async () => {
  await using program = await startProgram();
  const { control } = program.slack;
  await control.message({ channel: bob, user: bob, text: '', files: [picture] });
  const told = await waitFor(
    async () => (await control.messages(bob)).at(-1)?.text,
    (text = '') => text.includes('Not sent'),
    { what: 'an answer' },
  );
  expect(told).toContain('Not sent:* 1 image');
});
