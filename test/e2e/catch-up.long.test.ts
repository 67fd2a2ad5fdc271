import { expect, test } from 'vitest';
import { includes } from '../support/is.ts';
import { alice, describeWithLocalSlack } from '../support/local-slack.ts';
import { working } from './support/turns.ts';
import { startWorld } from './support/world.ts';

describeWithLocalSlack('replies that come while nobody listens', () => {
  test('are found at the next start, and are follow-ups once', async () => {
    await using world = await startWorld();
    const root = await working(world);
    await world.service.stop();
    for (const text of ['First missed', 'Second missed']) {
      await world.slack.reply(root, text);
    }
    await world.restart();
    await world.later(
      () => world.api.jobs[0]?.prompts ?? [],
      (prompts) => prompts.length > 1,
      'the follow-ups',
    );
    await world.restart();
    await world.clock.advance(60_000);
    expect(world.api.jobs[0]?.prompts).toEqual(['Add a quickstart', 'First missed\n\nSecond missed']);
  });

  test('are announced in the thread if they are old', async () => {
    await using world = await startWorld();
    const root = await working(world);
    await world.service.stop();
    await world.slack.reply(root, 'Missed', alice);
    await world.clock.advance(3_600_000);
    await world.restart();
    await world.threadMessage(root, 'Picked up 1 reply');
  });

  test('are found after a reconnect of the socket', async () => {
    await using world = await startWorld();
    const root = await working(world);
    world.proxy.socket.cut();
    await world.slack.reply(root, 'In the gap');
    await world.later(() => world.api.jobs[0]?.prompts ?? [], includes('In the gap'), 'the follow-up');
  });
});
