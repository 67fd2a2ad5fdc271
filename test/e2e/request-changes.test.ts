import { expect, test } from 'vitest';
import { alice, general, random, type SlackMessage } from '../support/local-slack.ts';
import { strictApp } from '../support/strict-slack/ids.ts';
import { startStrictWorld } from './support/strict-world.ts';

const mention = `<@${strictApp.botUserId}> `;

test.each([
  ['a mention', general, mention],
  ['a direct message', alice, ''],
])(
  '%s that waits for the agent goes out as it reads by then, also if it was edited while the program was away; one that is taken back does not (F3)',
  async (_what, channel, start) => {
    await using world = await startStrictWorld();
    const { control } = world.slack;
    const ask = async (words: string) => {
      world.api.failNext('create', { status: 429, headers: { 'retry-after': '60' } });
      const asked = await world.say(start + words, { channel });
      await world.settled();
      return asked;
    };
    const asked = await ask('Explain teh limits');
    await control.editMessage(asked, `${start}Explain the limit`);
    await world.settled(6_000);
    expect((await world.thread(asked)).map(({ text }) => text).join()).toContain('Explain the limit');
    await world.service.stop();
    world.slack.onDelivery(({ payload }) => (JSON.stringify(payload).includes('message_changed') ? 0 : 1));
    await control.editMessage(asked, `${start}Explain the limits`);
    await world.restart();
    world.slack.onDelivery(() => 1);
    await world.settled(70_000);
    expect(world.prompts()).toEqual([['Explain the limits']]);

    const thanks = await ask('Explain the keys');
    await control.editMessage(thanks, `${start}thanks!`);
    await world.settled(70_000);
    const deleted = await ask('Explain the quotas');
    const reply = await control.reply(deleted, 'As a table', alice);
    await world.settled();
    const [card] = await world.thread(deleted);
    const cards = async () =>
      (await control.messages(channel)).filter(({ text }) => text.includes('Not started'));
    expect(await cards()).toHaveLength(1);
    await control.deleteMessage(deleted);
    await world.settled(120_000);
    expect((await cards()).map(({ ts }) => ts)).toContain(card?.ts);
    expect(await control.reactions(reply)).toEqual(['speech_balloon']);
    expect(world.prompts()).toHaveLength(1);
  },
);

test.each([
  ['and Slack tells of it', true],
  ['of which Slack tells nothing, as the bot is not in the channel', false],
])(
  'a mention that waits for an invitation, and is changed, %s, counts as it is (S4, F3)',
  async (_what, isTold) => {
    await using world = await startStrictWorld();
    const { control } = world.slack;
    const asked: SlackMessage[] = [];
    for (const words of ['Explain teh limits', 'Explain the keys']) {
      const message = await world.say(mention + words, { channel: random });
      asked.push(message);
      const event = { ...message, user: alice, type: 'app_mention' };
      await Promise.all([control.raw(random, event), world.clock.advance(2_000)]);
      await world.settled();
    }
    const [edited, deleted] = asked;
    if (edited === undefined || deleted === undefined) throw new Error('nothing was asked');
    await control.editMessage(edited, `${mention}Explain the limits`);
    await control.deleteMessage(deleted);
    const message = (await control.messages(random)).find(({ ts }) => ts === edited.ts);
    for (const event of [
      { subtype: 'message_changed', message, previous_message: { ...edited, type: 'message' } },
      {
        subtype: 'message_deleted',
        deleted_ts: deleted.ts,
        previous_message: { ...deleted, type: 'message' },
      },
    ])
      if (isTold) await control.raw(random, { ...event, type: 'message', ts: '1.1' });
    control.invite(random, strictApp.botUserId);
    await world.settled(70_000);
    expect(world.prompts()).toEqual([['Explain the limits']]);
  },
);

test('thirty edits of what has gone out make one offer, which sends it as it reads; a request that is deleted then goes on (F3)', async () => {
  await using world = await startStrictWorld();
  const { control } = world.slack;
  const asked = await world.say(`${mention}Explain teh limits`);
  await world.settled();
  const reply = await control.reply(asked, 'As a tabel');
  await world.settled(10_000);
  const offers = async () =>
    (await control.messages(general)).filter(({ text }) => text.includes('You edited'));
  for (const [nth, edited] of [reply, asked].entries()) {
    const words = edited === asked ? `${mention}Explain the limits` : 'As a table';
    for (let count = 1; count <= 30; count += 1) await control.editMessage(edited, `${words}, ${count}`);
    await world.settled();
    expect(await offers()).toHaveLength(nth + 1);
  }
  const offer = (await offers()).at(-1);
  if (offer === undefined) throw new Error('there is no offer');
  await control.press(offer, 'send_correction', alice);
  await world.settled(10_000);
  await control.deleteMessage(asked);
  await world.settled();
  expect(world.prompts()).toEqual([
    ['Explain teh limits', 'As a tabel', 'Correction of an earlier message: Explain the limits, 30'],
  ]);
  expect(await control.reactions(asked)).toEqual([]);
});
