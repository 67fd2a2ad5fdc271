import { expect, test } from 'vitest';
import { localApp } from '../../demo/local-slack/workspace.ts';
import { openStore } from '../../src/store/open.ts';
import { aCall, aDecision, aJob } from '../contract/store/samples.ts';
import { startWorld, type World } from '../e2e/support/world.ts';
import { alice, describeWithLocalSlack, general } from '../support/local-slack.ts';

/** Leaves the store as a process does that is killed when it has just sent the card to Slack. */
async function dieWhilePosting(world: World): Promise<void> {
  await world.service.stop();
  const store = await openStore({ dataDir: world.env.DATA_DIR ?? '' });
  const nowMs = world.clock.now();
  const job = aJob({
    teamId: localApp.teamId,
    channelId: general,
    projectId: world.env.AGENT_PROJECT_ID ?? '',
    requestedAtMs: nowMs,
    threadTs: null,
    stage: { kind: 'opening' },
  });
  const card = aCall('the-card');
  await store.transaction(async (tx) => {
    await tx.write(aDecision({ job, calls: [card] }), nowMs);
    await tx.calls.start(card.id, nowMs);
  });
  await store.close();
}

describeWithLocalSlack('a machine that sleeps in the middle of a post', () => {
  test.each([3_000, 14_000])(
    'finds what leaves it %d ms after it woke, and posts nothing twice (E1)',
    async (lateMs) => {
      await using world = await startWorld();
      const { promise, resolve } = Promise.withResolvers<void>();
      world.proxy.fail('chat.postMessage', { lateAfter: promise });
      await world.slack.command({ channel: general, user: alice, text: 'Add a quickstart' });
      await expect
        .poll(() => world.log.some((line) => line.includes('"reason":"WebAPIRequestError"')), {
          message: 'the cut',
        })
        .toBe(true);
      world.clock.freeze(10 * 60_000);
      await world.clock.advance(lateMs);
      resolve();
      const all = () => world.slack.messages(general);
      await expect.poll(async () => (await all()).length > 0, { message: 'the late card' }).toBe(true);
      await world.clock.advance(60_000);
      await expect
        .poll(async () => (await all()).map(({ text }) => /Working|On it/.test(text)), {
          message: 'the news',
        })
        .toEqual([true, true]);
      expect(world.proxy.calls('chat.postMessage')).toHaveLength(2);
    },
  );
});

describeWithLocalSlack('after a kill in the middle of a post, and a quick restart', () => {
  test('Slack gets two seconds to store the post before it is looked for, and fifteen before it is made again', async () => {
    await using world = await startWorld();
    await dieWhilePosting(world);
    await world.restart();
    await world.clock.advance(1_999);
    expect(world.proxy.calls('conversations.history')).toEqual([]);

    const looks = () => world.proxy.calls('conversations.history').length;
    await world.clock.advance(1);
    await expect.poll(looks, { message: 'the first look' }).toBe(1);
    await world.clock.advance(17_999);
    expect(looks()).toBe(1);
    expect(await world.slack.messages(general)).toEqual([]);

    await world.clock.advance(1);
    await expect.poll(looks, { message: 'the second look' }).toBe(2);
    // A card is redrawn at most every three seconds.
    await world.later(
      async () => (await world.slack.messages(general)).map(({ text }) => /Working|On it/.test(text)),
      (working) => working.length === 2 && working.every(Boolean),
      'the card and the first post in its thread',
    );
    expect(world.proxy.calls('chat.postMessage')).toHaveLength(2);
  });
});
