import { expect, test } from 'vitest';
import { bob, describeWithLocalSlack, general } from '../support/local-slack.ts';
import { startWorld, type World } from './support/world.ts';

const ephemeral = (world: World) => world.proxy.calls('chat.postEphemeral').map(({ args }) => args);

describeWithLocalSlack('a thread that is not only for the agent (F4)', () => {
  test('asides and muted replies stay in it, mentions get through, and each change is confirmed privately', async () => {
    await using world = await startWorld();
    const card = await world.ask('Add a quickstart');
    await world.told(card, 'Working');
    const botUserId = card.user ?? '';
    const reply = (text: string) =>
      world.slack.message({ channel: general, user: bob, text, threadTs: card.ts });
    const prompts = () => world.api.jobs[0]?.prompts.slice(1);

    const aside = await reply('Aside: lunch?');
    await reply('mute');
    await world.soon(() => ephemeral(world).length, 1, 'the confirmation');
    expect(ephemeral(world)[0]).toMatchObject({ channel: general, user: bob, thread_ts: card.ts });
    expect(ephemeral(world)[0]?.text).toContain('Muted');
    await world.later(
      () => world.card(card),
      (text) => text.includes('muted'),
      'the card to say so',
    );
    const muted = await reply('Who is at the office?');
    await reply(`<@${botUserId}> Mention the CLI`);
    await world.later(prompts, (all) => all?.length === 1, 'the mention to go out');

    await reply('unmute');
    await world.soon(() => ephemeral(world).length, 2, 'the confirmation');
    await reply('And the API');
    await world.later(prompts, (all) => all?.length === 2, 'the reply to go out');
    await world.later(
      () => world.card(card),
      (text) => !text.includes('muted'),
      'the card to forget it',
    );
    expect(prompts()).toEqual(['Mention the CLI', 'And the API']);
    expect(await world.slack.reactions(aside)).toEqual([]);
    expect(await world.slack.reactions(muted)).toEqual([]);
  });

  test('a reply that its author makes an aside of loses its receipt, and goes out when it is none again', async () => {
    await using world = await startWorld({ settings: { FOLLOW_UP_WINDOW: '60s' } });
    const card = await world.ask('Add a quickstart');
    await world.told(card, 'Working');
    const reply = await world.slack.message({
      channel: general,
      user: bob,
      text: 'Lunch',
      threadTs: card.ts,
    });
    await world.soon(() => world.slack.reactions(reply), ['eyes'], 'the receipt "stored"');
    await world.slack.editMessage(reply, 'aside: lunch');
    await world.soon(() => world.slack.reactions(reply), [], 'no receipt');
    await world.clock.advance(60_000);
    expect(world.api.counts.message).toBe(0);
    await world.slack.editMessage(reply, 'Launch');
    await world.soon(() => world.slack.reactions(reply), ['eyes'], 'the receipt "stored"');
    await world.clock.advance(60_000);
    await world.soon(() => world.api.jobs[0]?.prompts.slice(1), ['Launch'], 'the follow-up');
  });
});
