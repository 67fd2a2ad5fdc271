import { expect, test } from 'vitest';
import { alice, bob, describeWithLocalSlack, general } from '../support/local-slack.ts';
import { startWorld } from './support/world.ts';

describeWithLocalSlack('replies that come while nobody listens', () => {
  test('are found at the next start, and are follow-ups once', async () => {
    await using world = await startWorld();
    const root = await world.ask('Add a quickstart');
    await world.threadMessage(root, 'On it');
    await world.service.stop();
    for (const text of ['First missed', 'Second missed']) {
      await world.slack.message({ channel: general, user: bob, text, threadTs: root.ts });
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
    const root = await world.ask('Add a quickstart');
    await world.threadMessage(root, 'On it');
    await world.service.stop();
    await world.slack.message({ channel: general, user: alice, text: 'Missed', threadTs: root.ts });
    await world.clock.advance(3_600_000);
    await world.restart();
    await world.threadMessage(root, 'Picked up 1 reply');
  });

  test('are found after a reconnect of the socket', async () => {
    await using world = await startWorld();
    const root = await world.ask('Add a quickstart');
    await world.threadMessage(root, 'On it');
    world.proxy.socket.cut();
    await world.slack.message({ channel: general, user: bob, text: 'In the gap', threadTs: root.ts });
    await world.later(
      () => world.api.jobs[0]?.prompts ?? [],
      (prompts) => prompts.includes('In the gap'),
      'the follow-up',
    );
  });
});
