import { expect, test } from 'vitest';
import type { Fault } from '../support/fault-proxy/fault.ts';
import { has, includes } from '../support/is.ts';
import { alice, bob, describeWithLocalSlack, general, random } from '../support/local-slack.ts';
import { saying, toldLater } from './support/posts.ts';
import { cards, finish, working } from './support/turns.ts';
import { startWorld } from './support/world.ts';

const PR = 'https://github.com/acme/docs/pull/1';
const slowDown = (seconds: number): Fault => ({ status: 429, headers: { 'retry-after': String(seconds) } });

describeWithLocalSlack('a rate limit of Slack', () => {
  test('holds up the posts of its channel, one after the other, and nothing else (E1)', async () => {
    await using world = await startWorld({ settings: { NOTICE_CHANNELS: random } });
    const other = await working(world, 'Quick one');
    const startMs = world.clock.now();
    world.proxy.fail('chat.postMessage', slowDown(30));
    await world.slack.command({ channel: general, user: alice, text: 'Slow one' });
    const tries = () => world.proxy.calls('chat.postMessage').length;
    await expect.poll(tries, { message: 'the first try' }).toBe(3);
    await world.slack.command({ channel: general, user: alice, text: 'Later one' });

    // Edits, reactions, and posts in other channels have limits of their own.
    finish(world, 'Quick one', 'completed', PR);
    await world.later(() => world.slack.messages(random), has(1), 'the notice');
    await world.later(() => world.card(other), includes('Pull request ready'), 'the card');
    await world.clock.advanceTo(startMs + 29_999);
    expect(await world.posts(other)).toHaveLength(1);
    expect(await cards(world)).toHaveLength(1);
    expect(tries()).toBe(4);

    await world.clock.advance(1);
    await expect
      .poll(async () => saying(await cards(world), 'Slow one').length, { message: 'the card' })
      .toBe(1);
    expect(saying(await cards(world), 'Later one')).toHaveLength(0);
    await world.later(
      () => cards(world),
      (all) => saying(all, 'Later one').length === 1,
      'the other card',
    );
    await toldLater(world, other, PR);
    expect(await world.posts(other)).toHaveLength(2);
    expect(world.api.counts.create).toBe(3);
  });

  test('holds up a thread in its order, and a notice channel (E1, N1)', async () => {
    await using world = await startWorld({ settings: { NOTICE_CHANNELS: random } });
    const slow = await working(world, 'Slow one');
    world.proxy.fail('chat.postMessage', slowDown(60), slowDown(20));
    const tries = () => world.proxy.calls('chat.postMessage').length;
    const before = tries();

    finish(world, 'Slow one', 'failed');
    await world.later(tries, before + 1, 'the post that has to wait');
    const threadWaitsUntilMs = world.clock.now() + 60_000;
    finish(world, 'Slow one', 'completed', PR);
    await world.later(tries, before + 2, 'the notice that has to wait');
    await world.later(() => world.slack.messages(random), has(1), 'the notice');
    expect(world.clock.now()).toBeLessThan(threadWaitsUntilMs);
    expect(await world.posts(slow)).toHaveLength(1);

    await world.clock.advanceTo(threadWaitsUntilMs);
    await world.threadMessage(slow, PR);
    await world.clock.advance(60_000);
    const told = (await world.posts(slow)).map(({ text }) => /On it|Failed|🎉/.exec(text)?.[0]);
    expect(told).toEqual(['On it', 'Failed', '🎉']);
    expect(await world.slack.messages(random)).toHaveLength(1);
  });

  test('a rate limit of zero seconds is no busy loop', async () => {
    await using world = await startWorld();
    const limited = { status: 429, headers: { 'retry-after': '0' } };
    world.proxy.fail('chat.postMessage', limited, limited, limited);
    await world.slack.command({ channel: general, user: alice, text: 'Add a quickstart' });
    await expect
      .poll(() => world.proxy.calls('chat.postMessage').length, { message: 'the first try' })
      .toBe(1);
    await world.clock.advance(900);
    expect(world.proxy.calls('chat.postMessage')).toHaveLength(1);
    await world.later(() => world.api.jobs.length, 1, 'the job');
    expect(world.proxy.calls('chat.postMessage').length).toBeLessThan(8);
  });
});

describeWithLocalSlack('what Slack refuses to show', () => {
  test('a card that cannot be edited loses nothing, and catches up (W2, W3)', async () => {
    await using world = await startWorld();
    world.proxy.fail(
      'chat.update',
      { error: 'cant_update_message' },
      { status: 500 },
      'reset_before',
      'reset_after',
      slowDown(20),
      { error: 'ratelimited' },
    );
    const card = await working(world);
    finish(world, 'Add a quickstart', 'completed', PR);
    await toldLater(world, card, PR);
    await world.later(
      () => world.card(card),
      (text) => text.includes('Pull request ready') && text.includes(PR),
      'the card to catch up',
    );
    expect(await world.posts(card)).toHaveLength(2);
    expect(world.api.counts).toMatchObject({ create: 1, message: 0 });
  });

  test('a private answer that cannot be given where the command was typed comes as a direct message (S4)', async () => {
    await using world = await startWorld({ mode: 'http' });
    world.proxy.fail('chat.postMessage', { error: 'not_in_channel' });
    await world.signed.sendCommand({
      channelId: random,
      userId: alice,
      text: 'Add a quickstart',
      responseUrl: 'http://127.0.0.1:9/gone',
    });
    await world.later(() => world.proxy.calls('chat.postMessage'), has(2), 'the direct message');
    await world.clock.advance(60_000);
    const answers = world.proxy.calls('chat.postMessage').filter(({ args }) => args.channel === alice);
    expect(answers).toHaveLength(1);
    expect(answers[0]?.args).toMatchObject({ text: expect.stringContaining('/invite @docs-agent') });
  });

  test('a notice channel that refuses is reported once in the thread, however many notices it refuses (N1)', async () => {
    await using world = await startWorld({ settings: { NOTICE_CHANNELS: `C0NOWHERE,${random}` } });
    const card = await working(world);
    finish(world, 'Add a quickstart', 'completed', PR);
    const report = await toldLater(world, card, "Couldn't post in");
    expect(report.text).toContain('<#C0NOWHERE>');
    await toldLater(world, card, '🎉');

    await world.slack.reply(card, 'Another one');
    await world.later(() => world.api.counts.message, 1, 'the follow-up');
    finish(world, 'Add a quickstart', 'completed', `${PR}2`);
    await toldLater(world, card, `${PR}2`);
    await world.later(() => world.slack.messages(random), has(2), 'both notices');
    await world.clock.advance(60_000);
    const refused = world.proxy.calls('chat.postMessage').filter(({ args }) => args.channel === 'C0NOWHERE');
    expect(refused.length).toBeGreaterThan(2);
    expect(saying(await world.posts(card), "Couldn't post in")).toHaveLength(1);
  });

  test('people whose names cannot be looked up are "someone"; the job starts (S1, R1)', async () => {
    await using world = await startWorld();
    // Who asks must be known, or is not let in.
    await world.threadMessage(await world.ask('Add a quickstart'), 'On it');
    world.proxy.fail(
      'users.info',
      { error: 'user_not_found' },
      { status: 500 },
      slowDown(30),
      'reset_before',
      ...Array.from({ length: 20 }, () => ({ error: 'user_not_found' })),
    );
    const card = await working(world, `Ask <@${bob}> about it`);
    expect(world.api.jobs.at(-1)?.prompts).toEqual(['Ask someone about it']);
    expect(card.text).toContain('*Ask someone about it*');
  });
});
