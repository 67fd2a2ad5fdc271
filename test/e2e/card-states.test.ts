import { expect, test } from 'vitest';
import type { Fault } from '../support/agent-api/fault.ts';
import { describeWithLocalSlack, type SlackMessage } from '../support/local-slack.ts';
import { watched } from './support/turns.ts';
import { startWorld, type World } from './support/world.ts';

const HOUR_MS = 3_600_000;

const shows = (world: World, card: SlackMessage, ...words: readonly string[]) =>
  world.later(
    () => world.card(card),
    (text) => words.every((some) => text.includes(some)),
    `the card to say "${words.join('" and "')}"`,
  );

describeWithLocalSlack('the card says how the job stands, and what can be done (W2)', () => {
  test('a start that an administrator must make possible, and that goes on then', async () => {
    await using world = await startWorld();
    world.api.failAll({ status: 401, body: { error: 'Invalid API key' } });
    const card = await world.ask('Add a quickstart');
    await shows(world, card, "⚠️ *Waiting for an administrator* · saved, continues once it's fixed");
    world.api.failAll(null);
    await shows(world, card, '⚙️ *Working*');
  });

  test('a job that ended without a pull request, or failed, each with its button', async () => {
    await using world = await startWorld();
    const { card, finish } = await watched(world);
    finish('completed');
    await shows(world, card, '✅ *Done, no pull request*', '[Reply to the agent] [Details]');
    finish('failed');
    await world.clock.advance(HOUR_MS);
    await shows(
      world,
      card,
      '❌ *Failed* · the agent gave no reason',
      '[Start again] [Edit and start] [Details]',
    );
  });

  test('a job that the agent no longer knows', async () => {
    await using world = await startWorld();
    const { card } = await watched(world);
    world.api.failNext('get', ...Array<Fault>(200).fill({ status: 404, body: { error: 'Job not found' } }));
    await world.clock.advance(HOUR_MS + 600_000);
    await shows(world, card, '❌ *The agent no longer knows this job*', '[Start again] [Details]');
    expect(await world.card(card)).toMatch(/^\*?Add a quickstart/);
  });
});
