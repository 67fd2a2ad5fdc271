import { expect, test } from 'vitest';
import { localApp } from '../../demo/local-slack/workspace.ts';
import { openStore } from '../../src/store/open.ts';
import { aCall, aDecision, aJob } from '../contract/store/samples.ts';
import { startWorld, type World } from '../e2e/support/world.ts';
import { describeWithLocalSlack, general } from '../support/local-slack.ts';

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
