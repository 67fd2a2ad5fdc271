import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { beside } from '../support/beside.ts';
import { has, present } from '../support/is.ts';
import { alice, general } from '../support/local-slack.ts';
import { type Program, startProgram } from '../support/strict-slack/program.ts';
import { createTempDir } from '../support/temp-dir.ts';

const twoProjects = '\nprojects: [{ id: acme-docs, name: docs }, { id: acme-api, name: api }]';

/** The program, and its store, from another connection. */
async function start(more = ''): Promise<{ program: Program; execute: (sql: string) => Promise<void> }> {
  const folder = await createTempDir();
  onTestFinished(folder.remove);
  const configFile = `admins: [${alice}]${more}`;
  const program = await startProgram({ configFile, settings: { DATA_DIR: folder.path } });
  const file = beside(join(folder.path, 'docs-agent.db'));
  onTestFinished(file.close);
  return { program, execute: file.execute };
}

async function answerTo({ slack }: Program, text: string): Promise<unknown> {
  const { payload } = await slack.control.command({ channel: general, user: alice, text });
  return payload;
}

test('a person who asks for a list, a status or the settings while the store is broken reads so, and can ask again (L1, L3)', async () => {
  const { program, execute } = await start();
  await using _program = program;
  await program.ask('Explain the rate limits');
  await execute('alter table job rename to job_away; alter table channel_setting rename to setting_away');
  for (const text of ['list', 'status', 'settings', 'report']) {
    expect(await answerTo(program, text)).toMatchObject({
      response_type: 'ephemeral',
      text: expect.stringContaining('show that right now'),
    });
  }
  await execute('alter table job_away rename to job; alter table setting_away rename to channel_setting');
  for (const text of ['list', 'status']) {
    expect(await answerTo(program, text)).toMatchObject({ text: expect.stringContaining('rate limits') });
  }
});

test('settings that cannot be stored stay in the form, which can be sent again (L3)', async () => {
  const { program, execute } = await start();
  await using _program = program;
  const { control } = program.slack;
  await answerTo(program, 'settings');
  await program.later(() => control.modal(alice)?.callback_id, 'settings', 'the form');
  await execute(
    "create trigger broken before insert on channel_setting begin select raise(abort, 'the disk is broken'); end",
  );
  const { errors } = await control.submit(alice, { follow_up_mode: 'mentions' });
  expect(JSON.stringify(errors)).toContain('save that');
  await execute('drop trigger broken');
  expect((await control.submit(alice)).errors).toBeNull();
  expect(control.modal(alice)).toBeNull();
});

test('*Follow up* that is pressed while the store is broken says so, and opens the form when it is mended (W3)', async () => {
  const { program, execute } = await start();
  await using _program = program;
  const { control } = program.slack;
  const card = await program.working('Explain the rate limits');
  program.api.finish(0, { status: 'completed' });
  const end = await program.threadMessage(card, 'Done, no pull request');
  await execute('alter table job rename to job_away');
  const press = control.press(end, 'follow_up', alice);
  const answers = async () =>
    (await control.thread(card.channel, card.ts)).filter(({ text }) => text.includes("can't show that"));
  await program.later(answers, has(1), 'the answer');
  await press;
  await execute('alter table job_away rename to job');
  await control.press(end, 'follow_up', alice);
  await program.later(() => control.modal(alice)?.callback_id, 'follow_up', 'the form');
});

test('the form for a prompt opens while the settings of the channel cannot be read (S2)', async () => {
  const { program, execute } = await start(twoProjects);
  await using _program = program;
  await execute('alter table channel_setting rename to setting_away');
  expect(await answerTo(program, '')).toEqual({});
  expect(program.slack.control.modal(alice)?.callback_id).toBe('compose');
});

test('the messages of a thread that cannot be offered while the store is broken: the form says so (S3)', async () => {
  const { program, execute } = await start(twoProjects);
  await using _program = program;
  const { control } = program.slack;
  const root = await control.message({ channel: general, user: alice, text: 'The limits are unclear' });
  await control.reply(root, '<@U0DOCSAGENT> Fix it', alice);
  const offers = async () =>
    (await control.messages(general)).findLast(({ subtype }) => subtype === 'ephemeral');
  const offer = await program.later(offers, present, 'the offer');
  await execute('alter table channel_setting rename to setting_away');
  if (offer !== undefined) await control.press(offer, 'choose_messages', alice);
  await program.later(
    () => JSON.stringify(control.modal(alice)?.blocks),
    (form) => form?.includes('show that right now') ?? false,
    'the words',
  );
});

test('a home that is opened while the store is broken is drawn when it is mended (L2)', async () => {
  const { program, execute } = await start();
  await using _program = program;
  await execute('alter table home rename to home_away');
  const opening = program.slack.control.openHome(alice);
  await program.later(
    () => program.log.some((line) => line.includes('no such table: home')),
    true,
    'the failure',
  );
  await execute('alter table home_away rename to home');
  await program.later(() => program.slack.control.home(alice), present, 'the home');
  await opening;
});
