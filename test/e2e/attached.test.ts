import { expect, test } from 'vitest';
import { bob, general } from '../support/local-slack.ts';
import type { FileDraft } from '../support/strict-slack/files.ts';
import { strictApp } from '../support/strict-slack/ids.ts';
import { type Program, startProgram } from '../support/strict-slack/program.ts';

const snippet: FileDraft = { name: 'notes.txt', content: 'Use <b> & "c"\nTwo', mode: 'snippet' };
const picture: FileDraft = { name: 'a.png', content: Buffer.of(1), mimetype: 'image/png', filetype: 'png' };

async function working(program: Program) {
  const card = await program.ask('Add a quickstart');
  await program.told(card, 'Working');
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
  const named = await program.told(card, 'not sent');
  expect(named.text).toBe('📎 1 image was not sent: the agent takes text only.');
});

test('a picture alone is named, and is no follow-up (F5)', async () => {
  await using program = await startProgram();
  const { card, reply } = await working(program);
  const message = await reply('', [picture]);
  await program.told(card, '1 image was not sent');
  await program.clock.advance(20_000);
  expect(followUps(program)).toEqual([]);
  expect(await program.slack.control.reactions(message)).toEqual([]);
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
  expect((await program.told(card, 'Not sent')).text).toContain('notes.txt · Slack does not let me read it');
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
