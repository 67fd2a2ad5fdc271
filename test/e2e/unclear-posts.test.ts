import { expect, test } from 'vitest';
import type { Fault } from '../support/fault-proxy/fault.ts';
import { alice, describeWithLocalSlack, general } from '../support/local-slack.ts';
import { toldLater } from './support/posts.ts';
import { cards, finish, working } from './support/turns.ts';
import { startWorld } from './support/world.ts';

const PR = 'https://github.com/acme/docs/pull/1';
const pass: Fault = { forwardAfter: Promise.resolve() };

const posted: readonly (readonly [string, Fault])[] = [
  ['a connection that breaks', 'reset_after'],
  ['half an answer', 'half_body'],
  ['a server error', 'error_after'],
];
const notPosted: readonly (readonly [string, Fault])[] = [
  ['a connection that breaks', 'reset_before'],
  ['a server error', { status: 500 }],
  ['a web page', { status: 200, body: '<!doctype html><title>Please sign in</title>' }],
];

describeWithLocalSlack('a post that is answered unclearly', () => {
  for (const [outcomes, isPosted] of [
    [posted, true],
    [notPosted, false],
  ] as const) {
    test.each(outcomes)(
      `is ${isPosted ? 'found again' : 'posted again'} after %s, so that there is one (E1)`,
      async (_what, fault) => {
        await using world = await startWorld();
        // The card meets the fault, and then the first post in its thread.
        world.proxy.fail('chat.postMessage', fault, ...(isPosted ? [] : [pass]), fault);
        await world.slack.command({ channel: general, user: alice, text: 'Add a quickstart' });
        const [card] = await world.later(
          () => cards(world),
          (all) => all.length > 0,
          'the card',
        );
        if (card === undefined) throw new Error('there is no card');
        await toldLater(world, card, 'On it');
        finish(world, 'Add a quickstart', 'completed', PR);
        await toldLater(world, card, PR);

        const tries = isPosted ? 1 : 2;
        const texts = world.proxy.calls('chat.postMessage').map(({ args }) => String(args.text));
        expect(texts.filter((text) => text.includes('Starting'))).toHaveLength(tries);
        expect(texts.filter((text) => text.includes('On it'))).toHaveLength(tries);
        expect(await cards(world)).toHaveLength(1);
        expect(await world.posts(card)).toHaveLength(2);
        expect(world.api.counts.create).toBe(1);
      },
    );
  }

  test('is found again after a restart in the middle (E1)', async () => {
    await using world = await startWorld();
    world.proxy.fail('chat.postMessage', 'reset_after');
    const card = await world.ask('Add a quickstart');
    await world.restart();
    await toldLater(world, card, 'On it');
    expect(await cards(world)).toHaveLength(1);
    expect(world.api.counts.create).toBe(1);
  });

  test('is looked for again within seconds when Slack could not be asked: to wait for it was no failure (E1)', async () => {
    await using world = await startWorld();
    const card = await working(world);
    world.proxy.fail('chat.postMessage', 'reset_before');
    const tries = () => world.proxy.calls('chat.postMessage').length;
    const looks = () => world.proxy.calls('conversations.replies').length;
    const before = { tries: tries(), looks: looks() };
    finish(world, 'Add a quickstart', 'completed');
    await world.later(tries, (count) => count === before.tries + 1, 'the post that breaks');
    await world.later(looks, (count) => count === before.looks + 1, 'the first look');
    // Each page is asked for twice.
    world.proxy.fail('conversations.replies', { status: 500 }, { status: 500 });
    await world.later(looks, (count) => count === before.looks + 3, 'the look that fails');
    await world.clock.advance(6_000);
    await expect.poll(looks, { message: 'the look after that' }).toEqual(before.looks + 4);
    await toldLater(world, card, 'Done, no pull request');
    expect(tries()).toBe(before.tries + 2);
  });
});
