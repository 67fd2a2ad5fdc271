import { expect, test } from 'vitest';
import { bob, describeWithLocalSlack, general, type SlackMessage } from '../support/local-slack.ts';
import { toldLater } from './support/posts.ts';
import { startWorld, type World } from './support/world.ts';

const JOBS = 8;
const SHORTEST_MS = 2_000;
/** Waits vary by a tenth, and these tests move the time by a second at a time. */
const LONGEST_MS = 1.1 * SHORTEST_MS + 1_000;

function readTimes({ api }: World, jobId: string): number[] {
  return api.requests
    .filter(({ method, path }) => method === 'GET' && path.endsWith(jobId))
    .map(({ atMs }) => atMs);
}

async function startJobs(world: World, jobs: number) {
  const cards = [];
  for (let number = 1; number <= jobs; number += 1)
    cards.push(await world.ask(`Document endpoint ${number}`));
  await world.later(
    () => world.api.jobs.filter(({ id }) => readTimes(world, id).length > 0).length,
    jobs,
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
      true,
      'the slowdown',
    );
    expect(world.api.counts.get).toBeLessThanOrEqual(before + 2 * JOBS);
    const heldUp = world.api.counts.get;
    await world.clock.advance(58_000);
    expect(world.api.counts.get).toBe(heldUp);
    const slowedAtMs = world.clock.now();
    await world.later(
      () => world.api.jobs.every(({ id }) => readTimes(world, id).some((atMs) => atMs > slowedAtMs)),
      true,
      'each job to be read again',
    );
  });

  const cardOf = async (world: World, { channel, ts }: SlackMessage) =>
    (await world.slack.messages(channel)).find((message) => message.ts === ts)?.text ?? '';
  const allSay = async (world: World, cards: readonly SlackMessage[], words: string) => {
    const texts = await Promise.all(cards.map((card) => cardOf(world, card)));
    return texts.every((text) => text.includes(words));
  };
  /** Milliseconds for seconds. */
  const mistaken = { status: 429, headers: { 'retry-after': '60000' } } as const;

  test('a mistaken pause lasts five minutes: all cards say so, and what ended meanwhile is told then (W1, W2)', async () => {
    await using world = await startWorld();
    const cards = await startJobs(world, JOBS);
    world.api.failNext('get', mistaken);
    await world.later(
      () => allSay(world, cards, 'the agent asked for a pause'),
      true,
      'all cards to say that they wait',
    );
    for (const { id } of world.api.jobs.slice(0, 2)) world.api.finish(id, { status: 'completed' });
    const readBefore = world.api.counts.get;
    await world.restart();
    await world.clock.advance(4 * 60_000);
    expect(world.api.counts.get).toBe(readBefore);
    await world.clock.advance(50_000);
    await world.later(() => allSay(world, cards.slice(2), 'Working'), true, 'the others to go on');
    for (const card of cards.slice(0, 2)) await toldLater(world, card, 'Done, no pull request');
  });

  test('a pause of the reads is over when the agent takes a reply', async () => {
    await using world = await startWorld();
    const cards = await startJobs(world, 3);
    world.api.failNext('get', mistaken);
    await world.later(
      () => allSay(world, cards, 'the agent asked for a pause'),
      true,
      'all cards to say that they wait',
    );
    const pausedAtMs = world.clock.now();
    const threadTs = cards[0]?.ts ?? '';
    await world.slack.message({ channel: general, user: bob, text: 'And a table', threadTs });
    await world.later(
      () => world.api.jobs.every(({ id }) => readTimes(world, id).some((atMs) => atMs > pausedAtMs)),
      true,
      'each job to be read again',
    );
    expect(world.clock.now() - pausedAtMs).toBeLessThan(60_000);
    await world.later(() => allSay(world, cards, 'Working'), true, 'all to go on');
    expect(world.clock.now() - pausedAtMs).toBeLessThan(120_000);
  });
});
