import { expect, test } from 'vitest';
import { alice, bob, general, type SlackMessage } from '../support/local-slack.ts';
import { startStrictWorld } from './support/strict-world.ts';

const bot = '<@U0DOCSAGENT>';

async function start() {
  const world = await startStrictWorld();
  const card = await world.ask('Document the rate limits');
  await world.settled(5_000);
  const reply = (text: string, user = alice) => world.slack.control.reply(card, text, user);
  /** A mention in a muted thread, after people wrote there. */
  const mentioned = async () => {
    await reply('mute');
    await world.settled(5_000);
    const first = await reply('The quotas are missing');
    await reply('And the <keys>', bob);
    await reply('aside: lunch?', bob);
    await reply(`${bot} Please have a look`);
    const words = '*Send what was said since, too?* 2 messages, by alice and bob';
    return { first, offer: await world.sentPrivately(general, words) };
  };
  const press = (offer: SlackMessage, button: string) => world.slack.control.press(offer, button, alice);
  return Object.assign(world, { threadRoot: card, reply, mentioned, press });
}

test('a mention in a muted thread goes out at once, and offers what people wrote since the last turn: one reply, once (F7)', async () => {
  await using world = await start();
  const { offer } = await world.mentioned();
  expect(offer).toMatchObject({ ephemeral_to: alice, thread_ts: world.threadRoot.ts });
  expect(offer.text).toContain('[Send them] [Choose messages…]');
  await world.settled(10_000);
  expect(world.prompts()).toEqual([['Document the rate limits', 'Please have a look']]);
  await world.restart();
  await Promise.all([1, 2].map(() => world.press(offer, 'send_said_since')));
  await world.settled(10_000);
  await world.press(offer, 'send_said_since');
  await world.settled(10_000);
  const [, , sent, ...more] = world.prompts()[0] ?? [];
  expect(more).toEqual([]);
  expect(sent).toMatch(
    /^Context from the Slack thread https:\S+:\nalice: The quotas are missing\nbob: And the <keys>$/,
  );
});

test('nothing that was edited since is sent, and people may choose (F7)', async () => {
  await using world = await start();
  const { first, offer } = await world.mentioned();
  await world.slack.control.editMessage(first, 'Delete all docs');
  await world.press(offer, 'send_said_since');
  await world.sentPrivately(general, 'A message from alice was edited in the meantime');
  await world.settled(10_000);
  expect(world.prompts()).toEqual([['Document the rate limits', 'Please have a look']]);
  await world.press(offer, 'choose_said_since');
  await world.formShows('Delete all docs');
  await world.submit({ messages_0: ['And the <keys>'] });
  await world.settled(10_000);
  expect(world.prompts()[0]?.at(-1)).toMatch(/:\nbob: And the <keys>$/);
});

test('a mention offers nothing where nothing was said, nor where every reply goes out (F7)', async () => {
  await using world = await start();
  await world.reply('One more thing');
  await world.reply(`${bot} Please have a look`);
  await world.settled(10_000);
  await world.reply('mute');
  await world.reply(`${bot} And again`);
  await world.settled(10_000);
  expect(await world.privately()).toEqual([]);
  expect(world.prompts()[0]).toHaveLength(3);
});
