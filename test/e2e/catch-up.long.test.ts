import { expect, test } from 'vitest';
import { has, includes } from '../support/is.ts';
import { describeWithLocalSlack } from '../support/local-slack.ts';
import { working } from './support/turns.ts';
import { startWorld } from './support/world.ts';

describeWithLocalSlack('replies that come while nobody listens', () => {
  test('are found at the next start, are follow-ups once, and are announced in the thread if they are old', async () => {
    await using world = await startWorld();
    const root = await working(world);
    await world.service.stop();
    for (const text of ['First missed', 'Second missed']) {
      await world.slack.reply(root, text);
    }
    await world.clock.advance(3_600_000);
    await world.restart();
    await world.later(() => world.api.jobs[0]?.prompts, has(2), 'the follow-ups');
    await world.threadMessage(root, 'Picked up 2 replies');
    await world.restart();
    await world.clock.advance(60_000);
    expect(world.api.jobs[0]?.prompts).toEqual(['Add a quickstart', 'First missed\n\nSecond missed']);
  });

  test('are found after a reconnect of the socket', async () => {
    await using world = await startWorld();
    const root = await working(world);
    world.proxy.socket.cut();
    await world.slack.reply(root, 'In the gap');
    await world.later(() => world.api.jobs[0]?.prompts ?? [], includes('In the gap'), 'the follow-up');
  });
});
