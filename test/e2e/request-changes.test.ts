import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { alice, general, random, type SlackMessage } from '../support/local-slack.ts';
import { strictApp } from '../support/strict-slack/ids.ts';
import { type StrictWorld, startStrictWorld } from './support/strict-world.ts';

const mention = `<@${strictApp.botUserId}> `;

let world: StrictWorld;
beforeEach(async () => {
  world = await startStrictWorld();
});
afterEach(() => world[Symbol.asyncDispose]());

const inChannel = { channel: general, text: (words: string) => mention + words };
const directly = { channel: alice, text: (words: string) => words };
const privately = async (words: string) =>
  (await world.slack.control.messages(general)).filter(
    ({ subtype, text }) => subtype === 'ephemeral' && text.includes(words),
  );
const threadOf = async ({ channel, ts }: SlackMessage) =>
  (await world.slack.control.thread(channel, ts)).map(({ text }) => text).join('\n');

describe.each([
  ['a mention', inChannel],
  ['a direct message', directly],
])('%s that waits for the agent (F3)', (_what, { channel, text }) => {
  const ask = async (words: string) => {
    world.api.failNext('create', { status: 429, headers: { 'retry-after': '60' } });
    const asked = await world.slack.control.message({ channel, user: alice, text: text(words) });
    await world.settled();
    return asked;
  };

  test('goes out as it reads by then, and its card shows it', async () => {
    const asked = await ask('Explain teh limits');
    for (const words of ['Explain the limit', 'Explain the limits']) {
      await world.slack.control.editMessage(asked, text(words));
    }
    await world.settled(6_000);
    expect(await threadOf(asked)).toContain('Explain the limits');
    await world.settled(70_000);
    expect(world.prompts()).toEqual([['Explain the limits']]);
  });

  test.each(['please stop', 'thanks!'])('starts nothing when it now says %j', async (words) => {
    const asked = await ask('Explain the limits');
    await world.slack.control.editMessage(asked, text(words));
    await world.settled(70_000);
    expect(world.prompts()).toEqual([]);
    expect((await world.slack.control.messages(channel)).map((one) => one.text).join('\n')).toContain(
      '*Not started*',
    );
  });

  test('goes out as it reads, too, if it was edited while the program was away', async () => {
    const asked = await ask('Explain teh limits');
    await world.service.stop();
    world.slack.onDelivery(({ payload }) => (JSON.stringify(payload).includes('message_changed') ? 0 : 1));
    await world.slack.control.editMessage(asked, text('Explain the limits'));
    await world.restart();
    await world.settled(70_000);
    expect(world.prompts()).toEqual([['Explain the limits']]);
  });

  test('starts nothing when it is deleted, and its card and the replies to it say so', async () => {
    const asked = await ask('Explain the limits');
    const reply = await world.slack.control.reply(asked, 'As a table', alice);
    await world.settled();
    const [, card] = await world.slack.control.thread(channel, asked.ts);
    await world.slack.control.deleteMessage(asked);
    await world.settled(120_000);
    expect(world.prompts()).toEqual([]);
    const shown = (await world.slack.control.messages(channel)).find(({ ts }) => ts === card?.ts);
    expect(shown?.text).toContain('*Not started*');
    expect(await world.slack.control.reactions(reply)).toEqual(['speech_balloon']);
  });
});

describe.each([
  ['and Slack tells of it', true],
  ['of which Slack tells nothing, as the bot is not in the channel', false],
])('a mention that waits for an invitation, and is changed, %s (S4, F3)', (_what, isTold) => {
  /** Asks, changes the message, and invites the bot. */
  const askAndInvite = async (change: (asked: SlackMessage) => Promise<object>) => {
    const { control } = world.slack;
    const asked = await control.message({
      channel: random,
      user: alice,
      text: inChannel.text('Explain teh limits'),
    });
    const message = { ...asked, type: 'message', user: alice };
    await Promise.all([control.raw(random, { ...message, type: 'app_mention' }), world.clock.advance(2_000)]);
    await world.settled();
    const event = { ...(await change(asked)), previous_message: message, type: 'message', ts: '1.1' };
    if (isTold) await control.raw(random, event);
    control.invite(random, strictApp.botUserId);
    await world.settled(70_000);
  };

  test('goes out as it reads by then', async () => {
    const { control } = world.slack;
    await askAndInvite(async (asked) => {
      await control.editMessage(asked, inChannel.text('Explain the limits'));
      const message = (await control.messages(random)).find(({ ts }) => ts === asked.ts);
      return { subtype: 'message_changed', message };
    });
    expect(world.prompts()).toEqual([['Explain the limits']]);
  });

  test('starts nothing, and no card is posted, if it was deleted', async () => {
    const { control } = world.slack;
    await askAndInvite(async (asked) => {
      await control.deleteMessage(asked);
      return { subtype: 'message_deleted', deleted_ts: asked.ts };
    });
    expect(world.prompts()).toEqual([]);
    expect(await control.messages(random)).toEqual([]);
  });
});

test('thirty edits of a request that has gone out make one offer, which sends it as it reads (F3)', async () => {
  const asked = await world.slack.control.message({
    channel: general,
    user: alice,
    text: `${mention}Explain teh limits`,
  });
  await world.settled();
  for (let count = 1; count <= 30; count += 1) {
    await world.slack.control.editMessage(asked, `${mention}Explain the limits, ${count}`);
  }
  await world.settled();
  const offers = await privately('You edited');
  expect(offers).toHaveLength(1);
  const [offer] = offers;
  if (offer === undefined) throw new Error('there is no offer');
  await world.slack.control.press(offer, 'send_correction', alice);
  await world.settled(10_000);
  expect(world.prompts()).toEqual([
    ['Explain teh limits', 'Correction of an earlier message: Explain the limits, 30'],
  ]);
  expect(await world.slack.control.reactions(asked)).not.toContain('white_check_mark');
});

test('thirty edits of a reply that was sent make one offer (F3)', async () => {
  const card = await world.working('Explain the limits');
  const reply = await world.slack.control.reply(card, 'As a tabel');
  await world.settled(10_000);
  for (let count = 1; count <= 30; count += 1)
    await world.slack.control.editMessage(reply, `As a table, ${count}`);
  await world.settled();
  expect(await privately('You edited')).toHaveLength(1);
});

test('a request that was deleted when the agent had it goes on (F3)', async () => {
  const asked = await world.slack.control.message({
    channel: general,
    user: alice,
    text: `${mention}Explain the limits`,
  });
  await world.settled();
  await world.slack.control.deleteMessage(asked);
  await world.settled();
  expect(world.prompts()).toEqual([['Explain the limits']]);
});
