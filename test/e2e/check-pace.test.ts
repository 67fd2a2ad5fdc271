import { expect, test } from 'vitest';
import { describeWithLocalSlack } from '../support/local-slack.ts';
import { toldLater } from './support/posts.ts';
import { startWorld, type World } from './support/world.ts';

const settings = { POLL_MIN_INTERVAL: '1s', POLL_MAX_INTERVAL: '10s' };
const script = () => ({ workMs: 20_000, ending: 'pull_request' }) as const;

/** Starts jobs, lets the agent finish them, and returns how often each was read until its thread was told. */
async function readsPerJob(world: World, ...prompts: readonly string[]): Promise<number> {
  const before = world.api.counts.get;
  const cards = [];
  for (const prompt of prompts) cards.push(await world.ask(prompt));
  for (const card of cards) await toldLater(world, card, '/pull/');
  return (world.api.counts.get - before) / prompts.length;
}

describeWithLocalSlack('a project whose jobs take alike', () => {
  test('is read less often once that is known, also by the next process (W1)', async () => {
    await using world = await startWorld({ settings, script });
    const unknown = await readsPerJob(world, 'Add a', 'Add b', 'Add c', 'Add d', 'Add e');
    await world.restart();
    const known = await readsPerJob(world, 'Add f');
    expect(known).toBeLessThan(unknown / 2);
  });
});
