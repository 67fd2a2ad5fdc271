import { expect, test } from 'vitest';
import { alice, bob, general } from '../support/local-slack.ts';
import { startStrictWorld } from './support/strict-world.ts';

async function start() {
  const world = await startStrictWorld();
  return Object.assign(world, {
    /** A job that was started past the bot. */
    elsewhere: async (): Promise<string> => {
      const response = await fetch(`${world.api.baseUrl}/v2/agent/acme-docs/job`, {
        method: 'POST',
        headers: {
          authorization: 'Bearer test-key',
          'content-type': 'application/json',
          connection: 'close',
        },
        body: JSON.stringify({ prompt: 'Started elsewhere' }),
      });
      return ((await response.json()) as { id: string }).id;
    },
    inThread: (words: string) =>
      world.seen(general, ({ thread_ts, text }) => thread_ts !== undefined && text.includes(words)),
  });
}

test('"watch" shows a job that was started elsewhere in one thread, however many ask, and takes follow-ups (W5)', async () => {
  await using world = await start();
  const id = await world.elsewhere();
  await Promise.all([alice, bob].map((user) => world.command(`watch ${id}`, user)));
  const card = await world.seen(general, ({ text }) => text.includes(`*Agent job ${id}*`));
  await world.inThread('On it');
  await world.slack.control.reply(card, 'Shorter, please');
  await world.settled();
  expect(world.prompts()).toEqual([['Started elsewhere', 'Shorter, please']]);
  await world.command(`watch ${id}`, bob);
  const answer = await world.seen(
    general,
    ({ subtype, text, blocks }) =>
      subtype === 'ephemeral' && text.includes('already watching') && JSON.stringify(blocks).includes('url'),
  );
  expect(answer.ephemeral_to).toBe(bob);
  const cards = (await world.slack.control.messages(general)).filter(({ text }) => /\*Agent job/.test(text));
  expect(cards).toHaveLength(1);
});

test('"watch" of a job that the agent does not know, or cannot be asked about, says so (W5)', async () => {
  await using world = await start();
  await world.command('watch nothing');
  expect((await world.sentPrivately(general, 'The agent has no job “nothing”')).ephemeral_to).toBe(alice);
  await world.settled();
  const posted = (await world.slack.control.messages(general)).filter(
    ({ subtype }) => subtype !== 'ephemeral',
  );
  expect(posted).toEqual([]);
  world.api.failAll({ status: 401 });
  await world.command('watch nothing');
  await world.sentPrivately(general, "couldn't check that id");
  world.api.failAll(null);
  await world.settled(60_000);
  await world.inThread('The agent no longer knows this job');
});
