import { afterEach, beforeEach, expect, test } from 'vitest';
import { alice, bob, general } from '../support/local-slack.ts';
import { type StrictWorld, startStrictWorld } from './support/strict-world.ts';

let world: StrictWorld;
beforeEach(async () => {
  world = await startStrictWorld();
});
afterEach(() => world[Symbol.asyncDispose]());

const command = (text: string, user = alice) => world.slack.control.command({ channel: general, user, text });
const inThread = (words: string) =>
  world.seen(general, ({ thread_ts, text }) => thread_ts !== undefined && text.includes(words));

/** A job that was started past the bot. */
async function elsewhere(): Promise<string> {
  const response = await fetch(`${world.api.baseUrl}/v2/agent/acme-docs/job`, {
    method: 'POST',
    headers: { authorization: 'Bearer test-key', 'content-type': 'application/json', connection: 'close' },
    body: JSON.stringify({ prompt: 'Started elsewhere' }),
  });
  return ((await response.json()) as { id: string }).id;
}

test('"watch" shows a job that was started elsewhere in a thread, and takes follow-ups (W5)', async () => {
  const id = await elsewhere();
  await command(`watch ${id}`);
  const card = await world.seen(general, ({ text }) => text.includes(`*Agent job ${id}*`));
  await inThread('On it');
  await world.slack.control.reply(card, 'Shorter, please');
  await world.settled();
  expect(world.prompts()).toEqual([['Started elsewhere', 'Shorter, please']]);
});

test('"watch" of a job that is watched already links to its thread, however many ask (W5)', async () => {
  const id = await elsewhere();
  await Promise.all([command(`watch ${id}`), command(`watch ${id}`, bob)]);
  await world.settled();
  await command(`watch ${id}`, bob);
  const answer = await world.seen(
    general,
    ({ subtype, text, blocks }) =>
      subtype === 'ephemeral' && text.includes('already watching') && JSON.stringify(blocks).includes('url'),
  );
  expect(answer.ephemeral_to).toBe(bob);
  const cards = (await world.slack.control.messages(general)).filter(({ text }) =>
    text.includes('*Agent job'),
  );
  expect(cards).toHaveLength(1);
});

test('"watch" of a job that the agent does not know is answered privately, and posts nothing (W5)', async () => {
  await command('watch nothing');
  const answer = await world.sentPrivately(general, 'The agent has no job “nothing”');
  expect(answer.ephemeral_to).toBe(alice);
  await world.settled();
  const posted = (await world.slack.control.messages(general)).filter(
    ({ subtype }) => subtype !== 'ephemeral',
  );
  expect(posted).toEqual([]);
  const id = await elsewhere();
  await command(`watch ${id}`);
  await inThread('');
});

test('"watch" while the agent cannot be asked says so, and the thread tells what there is (W5)', async () => {
  world.api.failAll({ status: 401 });
  await command('watch nothing');
  await world.sentPrivately(general, "couldn't check that id");
  world.api.failAll(null);
  await world.settled(60_000);
  await inThread('The agent no longer knows this job');
});
