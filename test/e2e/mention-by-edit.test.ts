import { expect, test } from 'vitest';
import { has } from '../support/is.ts';
import { alice, bob, general } from '../support/local-slack.ts';
import { strictApp } from '../support/strict-slack/ids.ts';
import type { ProgramOptions } from '../support/strict-slack/program.ts';
import { openThreadForm } from './support/posts.ts';
import { startStrictWorld } from './support/strict-world.ts';

const mention = `<@${strictApp.botUserId}>`;
const HINT = 'I only read new messages. Send it as a new message to start a job.';

async function start(options: ProgramOptions = {}) {
  const world = await startStrictWorld(options);
  return Object.assign(world, {
    write: (text: string, threadTs?: string, user = bob) => world.say(text, { user, threadTs }),
    edit: world.slack.control.editMessage,
    /** What was sent privately, to whom, and in which thread. */
    hints: () =>
      world.slack.calls('chat.postEphemeral').map(({ args }) => [args.user, args.thread_ts, args.text]),
  });
}

test('a person who adds a mention to a message by editing it learns, once, that only new messages count (F5)', async () => {
  await using world = await start();
  const { write, edit } = world;
  const message = await write('Document the limits');
  await edit(message, `${mention} Document the limits`);
  await edit(message, `${mention} Document the rate limits`);
  await edit(message, 'Document the rate limits');
  await edit(message, `Document the rate limits, ${mention}`);
  const reply = await write('And the errors', message.ts);
  await edit(reply, `And the errors ${mention}`);
  await world.slack.control.deleteMessage(reply);
  await world.clock.advance(10_000);
  const told = [
    [bob, undefined, HINT],
    [bob, message.ts, HINT],
  ];
  expect(world.hints()).toEqual(told);
  expect(world.prompts()).toEqual([]);

  // It mentioned the bot before, or does not now.
  const asked = await write(`${mention} Document the keys`);
  await edit(asked, `${mention} Document the API keys`);
  await edit(await write('Lunch?'), 'Launch?');
  await world.clock.advance(10_000);
  expect(world.hints().filter(([, , text]) => text === HINT)).toEqual(told);
});

test("in a job's thread it is an edit of a reply like any other, also where only mentions are follow-ups (F3, F4, F5, L3)", async () => {
  const configFile = `channels: { ${general}: { follow_ups: mentions } }`;
  await using world = await start({ configFile: '', settings: { FOLLOW_UP_WINDOW: '60s' } });
  const card = await world.working();
  const reply = await world.write('Shorter', card.ts);
  await world.edit(reply, `${mention} Much shorter`);
  await world.later(() => world.prompts()[0], has(2), 'the follow-up');
  await world.restart(configFile);
  const other = await world.write('Longer', card.ts);
  await world.clock.advance(5_000);
  await world.edit(other, `${mention} Much longer`);
  await world.later(() => world.prompts()[0], has(3), 'the other follow-up');
  expect(world.prompts()).toEqual([['Add a quickstart', 'Much shorter', 'Much longer']]);
  expect(world.hints()).toEqual([]);
});

test("in a job's thread, who adds it to what was written before the job is told, too (F5)", async () => {
  await using world = await start();
  const root = await world.write('The limits are not documented');
  const older = await world.write('Indeed', root.ts);
  await world.write(`${mention} Document them`, root.ts);
  await openThreadForm(world, bob, 'Indeed');
  await world.submit({}, bob);
  await world.later(() => world.prompts(), has(1), 'the job');
  await world.edit(older, `${mention} Indeed`);
  await world.edit(root, `${mention} The limits are not documented`);
  await world.clock.advance(20_000);
  expect(world.hints().slice(1)).toEqual([
    [bob, root.ts, HINT],
    [bob, undefined, HINT],
  ]);
  expect(world.prompts()[0]).toHaveLength(1);
});

test('who may not use the bot is told so, once, and nobody of what no person wrote (A1, S5)', async () => {
  await using world = await start({ configFile: `access: { users: [${alice}] }` });
  const forbidden = await world.write('Document it');
  for (const text of [`${mention} Document it`, 'Document it', `Document it, ${mention}`])
    await world.edit(forbidden, text);
  world.slack.control.addUser({ id: 'UBOT', name: 'deploys', isBot: true });
  await world.edit(await world.write('Deployed', undefined, 'UBOT'), `${mention} Deployed`);
  await world.clock.advance(10_000);
  expect(world.hints()).toEqual([[bob, undefined, expect.stringContaining('use docs-agent here')]]);
});
