import { expect, test } from 'vitest';
import { has, includes } from '../support/is.ts';
import { describeWithLocalSlack } from '../support/local-slack.ts';
import { receipt } from './support/posts.ts';
import { working } from './support/turns.ts';
import { startWorld, type World } from './support/world.ts';

const ephemeral = (world: World) => world.proxy.calls('chat.postEphemeral').map(({ args }) => args);

describeWithLocalSlack('a thread that is not only for the agent (F4)', () => {
  test('asides and muted replies stay in it and have receipts, mentions get through, and the thread says who changed it', async () => {
    await using world = await startWorld();
    const card = await working(world);
    const botUserId = card.user ?? '';
    const reply = (text: string) => world.slack.reply(card, text);
    const prompts = () => world.api.jobs[0]?.prompts.slice(1);

    const aside = await reply('Aside: lunch?');
    await reply('mute');
    const muting = await world.threadMessage(card, 'Muted');
    expect(muting.text).toBe(
      '🔇 *Muted by bob.* Replies stay between people until `unmute`; mentions still reach the agent.',
    );
    await world.later(
      () => world.card(card),
      includes('🔇 Muted: only mentions reach the agent'),
      'the card to say so',
    );
    const muted = await reply('Who is at the office?');
    await reply(`<@${botUserId}> Mention the CLI`);
    await world.later(prompts, has(1), 'the mention to go out');

    await reply('unmute');
    expect((await world.threadMessage(card, 'Unmuted')).text).toBe('🔔 *Unmuted by bob.*');
    await reply('And the API');
    await world.later(prompts, has(2), 'the reply to go out');
    await world.later(
      () => world.card(card),
      (text) => !text.includes('Muted'),
      'the card to forget it',
    );
    expect(prompts()).toEqual(['Mention the CLI', 'And the API']);
    await receipt(world.slack, aside, 'speech_balloon');
    await receipt(world.slack, muted, 'mute');
    // Nothing private but the offer that comes with the mention, if it comes before the thread is unmuted.
    const told = ephemeral(world).map(({ text }) => String(text));
    expect(told.filter((text) => !text.startsWith('🧵 *Send what was said since, too?*'))).toEqual([]);
  });

  test('a reply that its author makes an aside of is shown as one, and goes out when it is none again', async () => {
    await using world = await startWorld({ settings: { FOLLOW_UP_WINDOW: '60s' } });
    const card = await working(world);
    const reply = await world.slack.reply(card, 'Lunch');
    await receipt(world.slack, reply, 'eyes');
    await world.slack.editMessage(reply, 'aside: lunch');
    await receipt(world.slack, reply, 'speech_balloon');
    await world.clock.advance(60_000);
    expect(world.api.counts.message).toBe(0);
    await world.slack.editMessage(reply, 'Launch');
    await receipt(world.slack, reply, 'eyes');
    await world.clock.advance(60_000);
    await expect
      .poll(() => world.api.jobs[0]?.prompts.slice(1), { message: 'the follow-up' })
      .toEqual(['Launch']);
  });
});
