import { expect, test } from 'vitest';
import { describeWithLocalSlack } from '../support/local-slack.ts';
import { toldLater } from './support/posts.ts';
import { startWorld, type World } from './support/world.ts';

const JOBS = 8;
const SHORTEST_MS = 2_000;
/** Waits vary by a tenth, and these tests move the time by a second at a time. */
const LONGEST_MS = 1.1 * SHORTEST_MS + 1_000;

/** The times of all reads, or of those of one job. */
function readTimes({ api }: World, jobId = ''): number[] {
  return api.requests
    .filter(({ method, path }) => method === 'GET' && path.endsWith(jobId))
    .map(({ atMs }) => atMs);
}

async function startJobs(world: World, jobs: number) {
  const cards = [];
  for (let number = 1; number <= jobs; number += 1)
    cards.push(await world.ask(`Document endpoint ${number}`));
  await world.later(
    () => new Set(world.api.requests.filter(({ method }) => method === 'GET').map(({ path }) => path)).size,
    (read) => read === jobs,
    'each job to be read',
  );
  return cards;
}

describeWithLocalSlack('with default settings', () => {
  test('a few jobs are each read every two seconds, so a pull request is told two seconds after it exists (W1)', async () => {
    const workMs = (prompt: string) => 10_000 + 1_300 * Number(prompt.split(' ').at(-1));
    await using world = await startWorld({
      script: (prompt) => ({ workMs: workMs(prompt), ending: 'pull_request' }),
    });
    const cards = await startJobs(world, JOBS);
    for (const card of cards) await toldLater(world, card, '/pull/');
    for (const { id, createdAtMs, prompts } of world.api.jobs) {
      const endedAtMs = createdAtMs + workMs(prompts[0] ?? '');
      const seenAtMs = readTimes(world, id).find((atMs) => atMs >= endedAtMs) ?? Number.POSITIVE_INFINITY;
      expect(seenAtMs - endedAtMs).toBeLessThanOrEqual(LONGEST_MS);
    }
  });

  test('a rate limit holds up the reads of all jobs for as long as the API asks, and then they go on (W1)', async () => {
    await using world = await startWorld();
    await startJobs(world, JOBS);
    const before = world.api.counts.get;
    world.api.failNext('get', { status: 429, headers: { 'retry-after': '60' } });
    await world.later(
      () => world.log.some((line) => line.includes('reads_slowed_down')),
      (isSlow) => isSlow,
      'the slowdown',
    );
    expect(world.api.counts.get).toBeLessThanOrEqual(before + 2 * JOBS);
    const heldUp = world.api.counts.get;
    await world.clock.advance(58_000);
    expect(world.api.counts.get).toBe(heldUp);
    const slowedAtMs = world.clock.now();
    await world.later(
      () => world.api.jobs.every(({ id }) => readTimes(world, id).some((atMs) => atMs > slowedAtMs)),
      (isRead) => isRead,
      'each job to be read again',
    );
  });
});
