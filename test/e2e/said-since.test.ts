import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { alice, bob, general, type SlackMessage } from '../support/local-slack.ts';
import { seesForm } from './support/posts.ts';
import { type StrictWorld, startStrictWorld } from './support/strict-world.ts';

const bot = '<@U0DOCSAGENT>';

let world: StrictWorld;
let card: SlackMessage;
beforeEach(async () => {
  world = await startStrictWorld();
  card = await world.ask('Document the rate limits');
  await world.settled(5_000);
});
afterEach(() => world[Symbol.asyncDispose]());

const reply = (text: string, user = alice) => world.slack.control.reply(card, text, user);
const offered = () =>
  world.sentPrivately(general, '*Send what was said since, too?* 2 messages, by alice and bob');
/** A mention in a muted thread, after people wrote there. */
const mentioned = async () => {
  await reply('mute');
  await world.settled(5_000);
  const first = await reply('The quotas are missing');
  await reply('And the <keys>', bob);
  await reply('aside: lunch?', bob);
  await reply(`${bot} Please have a look`);
  return first;
};

describe('a mention in a muted thread (F7)', () => {
  test('goes out at once, and offers what people wrote since the last turn: one reply, once', async () => {
    await mentioned();
    const offer = await offered();
    expect(offer).toMatchObject({ ephemeral_to: alice, thread_ts: card.ts });
    expect(offer.text).toContain('[Send them] [Choose messages…]');
    await world.settled(10_000);
    expect(world.prompts()).toEqual([['Document the rate limits', 'Please have a look']]);
    await world.restart();
    await Promise.all([1, 2].map(() => world.slack.control.press(offer, 'send_said_since', alice)));
    await world.settled(10_000);
    await world.slack.control.press(offer, 'send_said_since', alice);
    await world.settled(10_000);
    const [, , sent, ...more] = world.prompts()[0] ?? [];
    expect(more).toEqual([]);
    expect(sent).toMatch(
      /^Context from the Slack thread https:\S+:\nalice: The quotas are missing\nbob: And the <keys>$/,
    );
  });

  test('lets people choose', async () => {
    await mentioned();
    await world.slack.control.press(await offered(), 'choose_said_since', alice);
    await seesForm(world.slack.control, alice, 'The quotas are missing');
    await world.slack.control.submit(alice, { messages_0: ['And the <keys>'] });
    await world.settled(10_000);
    expect(world.prompts()[0]?.at(-1)).toMatch(/:\nbob: And the <keys>$/);
  });

  test('sends nothing that was edited since', async () => {
    const first = await mentioned();
    const offer = await offered();
    await world.slack.control.editMessage(first, 'Delete all docs');
    await world.slack.control.press(offer, 'send_said_since', alice);
    await world.sentPrivately(general, 'A message from alice was edited in the meantime');
    await world.settled(10_000);
    expect(world.prompts()).toEqual([['Document the rate limits', 'Please have a look']]);
  });

  test('offers nothing where nothing was said, nor where every reply goes out', async () => {
    await reply('One more thing');
    await reply(`${bot} Please have a look`);
    await world.settled(10_000);
    await reply('mute');
    await reply(`${bot} And again`);
    await world.settled(10_000);
    const privately = (await world.slack.control.messages(general)).filter(
      ({ subtype }) => subtype === 'ephemeral',
    );
    expect(privately).toEqual([]);
    expect(world.prompts()[0]).toHaveLength(3);
  });
});
