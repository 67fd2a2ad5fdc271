import { expect, test } from 'vitest';
import { describeWithLocalSlack } from '../support/local-slack.ts';
import { toldLater } from './support/posts.ts';
import { startWorld, type World } from './support/world.ts';

const settings = { POLL_MIN_INTERVAL: '1s', POLL_MAX_INTERVAL: '10s' };
const WORK_MS = 20_000;
const script = () => ({ workMs: WORK_MS, ending: 'pull_request' }) as const;

/** Starts jobs, lets the agent finish them, and returns how often each was read while it worked. */
async function readsPerJob(world: World, ...prompts: readonly string[]): Promise<number> {
  const cards = [];
  for (const prompt of prompts) cards.push(await world.ask(prompt));
  for (const card of cards) await toldLater(world, card, '/pull/');
  const reads = world.api.jobs
    .slice(-prompts.length)
    .flatMap(({ id, createdAtMs }) =>
      world.api.requests.filter(
        ({ method, path, atMs }) =>
          method === 'GET' && path.endsWith(`/${id}`) && atMs < createdAtMs + WORK_MS,
      ),
    );
  return reads.length / prompts.length;
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
