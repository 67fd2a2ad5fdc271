import { expect, onTestFinished, test } from 'vitest';
import { has, includes } from '../support/is.ts';
import { alice, bob, general } from '../support/local-slack.ts';
import { strictApp } from '../support/strict-slack/ids.ts';
import { type Program, type ProgramOptions, startProgram } from '../support/strict-slack/program.ts';
import { openThreadForm } from './support/posts.ts';

const mention = `<@${strictApp.botUserId}>`;
const HINT = 'I only read new messages. Send it as a new message to start a job.';

/** What was sent privately, to whom, and in which thread. */
const hints = ({ slack }: Program) =>
  slack.calls('chat.postEphemeral').map(({ args }) => [args.user, args.thread_ts, args.text]);

async function start(options: ProgramOptions = {}) {
  const program = await startProgram(options);
  onTestFinished(() => program[Symbol.asyncDispose]());
  const { control } = program.slack;
  const write = (text: string, threadTs?: string) =>
    control.message({ channel: general, user: bob, text, threadTs });
  return { program, control, write };
}

test('a person who adds a mention to a message by editing it learns, once, that only new messages count (F5)', async () => {
  const { program, control, write } = await start();
  const message = await write('Document the limits');
  await control.editMessage(message, `${mention} Document the limits`);
  await control.editMessage(message, `${mention} Document the rate limits`);
  await control.editMessage(message, 'Document the rate limits');
  await control.editMessage(message, `Document the rate limits, ${mention}`);
  const reply = await write('And the errors', message.ts);
  await control.editMessage(reply, `And the errors ${mention}`);
  await program.clock.advance(10_000);
  expect(hints(program)).toEqual([
    [bob, undefined, HINT],
    [bob, message.ts, HINT],
  ]);
  expect(program.api.jobs).toEqual([]);
});

test('an edit of a message that mentioned the bot before is not told so (F5)', async () => {
  const { program, control, write } = await start();
  const message = await write(`${mention} Document the limits`);
  await control.editMessage(message, `${mention} Document the rate limits`);
  await control.editMessage(await write('Lunch?'), 'Launch?');
  await program.clock.advance(10_000);
  expect(hints(program)).toEqual([]);
});

test("in a job's thread it is an edit of a reply like any other (F3, F5)", async () => {
  const { program, control, write } = await start({ settings: { FOLLOW_UP_WINDOW: '60s' } });
  const card = await program.working();
  const reply = await write('Shorter', card.ts);
  await control.editMessage(reply, `${mention} Much shorter`);
  await program.later(() => program.api.jobs[0]?.prompts, has(2), 'the follow-up');
  expect(program.api.jobs[0]?.prompts[1]).toBe('Much shorter');
  expect(hints(program)).toEqual([]);
});

test('where only mentions are follow-ups, the reply goes out as it reads now (F4, F5, L3)', async () => {
  const { program, control, write } = await start({
    configFile: `channels: { ${general}: { follow_ups: mentions } }`,
  });
  const card = await program.working();
  const reply = await write('Shorter', card.ts);
  await program.clock.advance(5_000);
  await control.editMessage(reply, `${mention} Much shorter`);
  await program.later(() => control.reactions(reply), includes('white_check_mark'), 'the receipt');
  expect(program.api.jobs[0]?.prompts).toEqual(['Add a quickstart', 'Much shorter']);
  expect(hints(program)).toEqual([]);
});

test("in a job's thread, who adds it to what was written before the job is told, too (F5)", async () => {
  const { program, control, write } = await start();
  const root = await write('The limits are not documented');
  const older = await write('Indeed', root.ts);
  await write(`${mention} Document them`, root.ts);
  await openThreadForm(program, bob, 'Indeed');
  await control.submit(bob);
  await program.later(() => program.api.jobs.length, 1, 'the job');
  await control.editMessage(older, `${mention} Indeed`);
  await control.editMessage(root, `${mention} The limits are not documented`);
  await program.clock.advance(20_000);
  expect(hints(program).slice(1)).toEqual([
    [bob, root.ts, HINT],
    [bob, undefined, HINT],
  ]);
  expect(program.api.jobs[0]?.prompts).toHaveLength(1);
});

test('who may not use the bot is told so, once, and nobody of what no person wrote (A1, S5)', async () => {
  const { program, control, write } = await start({ configFile: `access: { users: [${alice}] }` });
  const forbidden = await write('Document it');
  await control.editMessage(forbidden, `${mention} Document it`);
  await control.editMessage(forbidden, 'Document it');
  await control.editMessage(forbidden, `Document it, ${mention}`);
  control.addUser({ id: 'UBOT', name: 'deploys', isBot: true });
  const message = await control.message({ channel: general, user: 'UBOT', text: 'Deployed' });
  await control.editMessage(message, `${mention} Deployed`);
  await program.clock.advance(10_000);
  expect(hints(program)).toEqual([[bob, undefined, expect.stringContaining('use docs-agent here')]]);
});
