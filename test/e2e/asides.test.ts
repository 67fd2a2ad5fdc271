import { expect, test } from 'vitest';
import { bob, describeWithLocalSlack, general } from '../support/local-slack.ts';
import { startWorld, type World } from './support/world.ts';

const ephemeral = (world: World) => world.proxy.calls('chat.postEphemeral').map(({ args }) => args);

describeWithLocalSlack('a thread that is not only for the agent (F4)', () => {
  test('asides and muted replies stay in it and have receipts, mentions get through, and the thread says who changed it', async () => {
    await using world = await startWorld();
    const card = await world.ask('Add a quickstart');
    await world.threadMessage(card, 'On it');
    const botUserId = card.user ?? '';
    const reply = (text: string) =>
      world.slack.message({ channel: general, user: bob, text, threadTs: card.ts });
    const prompts = () => world.api.jobs[0]?.prompts.slice(1);

    const aside = await reply('Aside: lunch?');
    await reply('mute');
    const muting = await world.threadMessage(card, 'Muted');
    expect(muting.text).toBe(
      '🔇 *Muted by bob.* Replies stay between people until `unmute`; mentions still reach the agent.',
    );
    await world.later(
      () => world.card(card),
      (text) => text.includes('🔇 Muted: only mentions reach the agent'),
      'the card to say so',
    );
    const muted = await reply('Who is at the office?');
    await reply(`<@${botUserId}> Mention the CLI`);
    await world.later(prompts, (all) => all?.length === 1, 'the mention to go out');

    await reply('unmute');
    expect((await world.threadMessage(card, 'Unmuted')).text).toBe('🔔 *Unmuted by bob.*');
    await reply('And the API');
    await world.later(prompts, (all) => all?.length === 2, 'the reply to go out');
    await world.later(
      () => world.card(card),
      (text) => !text.includes('Muted'),
      'the card to forget it',
    );
    expect(prompts()).toEqual(['Mention the CLI', 'And the API']);
    await expect
      .poll(() => world.slack.reactions(aside), { message: 'the receipt "aside"' })
      .toEqual(['speech_balloon']);
    await expect
      .poll(() => world.slack.reactions(muted), { message: 'the receipt "muted"' })
      .toEqual(['mute']);
    // Nothing private but the offer that comes with the mention, if it comes before the thread is unmuted.
    const told = ephemeral(world).map(({ text }) => String(text));
    expect(told.filter((text) => !text.startsWith('🧵 *Send what was said since, too?*'))).toEqual([]);
  });

  test('a reply that its author makes an aside of is shown as one, and goes out when it is none again', async () => {
    await using world = await startWorld({ settings: { FOLLOW_UP_WINDOW: '60s' } });
    const card = await world.ask('Add a quickstart');
    await world.threadMessage(card, 'On it');
    const reply = await world.slack.message({
      channel: general,
      user: bob,
      text: 'Lunch',
      threadTs: card.ts,
    });
    await expect
      .poll(() => world.slack.reactions(reply), { message: 'the receipt "stored"' })
      .toEqual(['eyes']);
    await world.slack.editMessage(reply, 'aside: lunch');
    await expect
      .poll(() => world.slack.reactions(reply), { message: 'the receipt "aside"' })
      .toEqual(['speech_balloon']);
    await world.clock.advance(60_000);
    expect(world.api.counts.message).toBe(0);
    await world.slack.editMessage(reply, 'Launch');
    await expect
      .poll(() => world.slack.reactions(reply), { message: 'the receipt "stored"' })
      .toEqual(['eyes']);
    await world.clock.advance(60_000);
    await expect
      .poll(() => world.api.jobs[0]?.prompts.slice(1), { message: 'the follow-up' })
      .toEqual(['Launch']);
  });
});
