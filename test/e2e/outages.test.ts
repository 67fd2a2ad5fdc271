import { expect, test } from 'vitest';
import type { Fault } from '../support/agent-api/fault.ts';
import { includes } from '../support/is.ts';
import { describeWithLocalSlack } from '../support/local-slack.ts';
import { saying, toldLater } from './support/posts.ts';
import { watched } from './support/turns.ts';
import { startWorld } from './support/world.ts';

const PR = 'https://github.com/acme/docs/pull/1';

describeWithLocalSlack('an agent API that is away', () => {
  test('a short outage shows on the card at once, and says nothing in the thread (W2)', async () => {
    await using world = await startWorld();
    const { card, finish } = await watched(world);
    world.api.failNext('get', ...Array<Fault>(9).fill({ status: 500 }));
    const shows = (words: string) =>
      world.later(() => world.card(card), includes(words), `the card to say "${words}"`);
    await shows("*Waiting* · can't reach the agent · next try");
    await shows('*Working*');
    finish('completed', PR);
    await toldLater(world, card, '🎉');
    expect(await world.posts(card)).toHaveLength(2);
  });

  test.each([
    ['server errors', "can't reach the agent", "Can't reach the agent", 500, 600_000],
    ['a refused key', 'Waiting for an administrator', 'An administrator needs to fix', 401, 0],
  ])(
    'an outage with %s is told once, and its end once (W2, E2)',
    async (_what, state, words, status, afterMs) => {
      await using world = await startWorld();
      const { card, finish } = await watched(world);
      world.api.failAll({ status });
      // The outage counts from the first answer, which time does not wait for.
      await world.later(() => world.card(card), includes(state), `the card to say "${state}"`);
      if (afterMs > 0) {
        await world.clock.advance(afterMs - 60_000);
        expect(saying(await world.posts(card), words)).toEqual([]);
        // The next try comes within a minute.
        await world.clock.advance(120_000);
      }
      await toldLater(world, card, words);
      await world.clock.advance(600_000);
      world.api.failAll(null);
      await toldLater(world, card, 'Back online');
      await world.clock.advance(60_000);
      const posts = await world.posts(card);
      expect(saying(posts, words)).toHaveLength(1);
      expect(saying(posts, 'Back online')).toHaveLength(1);
      finish('completed', PR);
      await toldLater(world, card, '🎉');
    },
  );

  test('requests made while the API is down are kept, told of after two minutes, and start when it is back (E1, W2)', async () => {
    await using world = await startWorld();
    const startMs = world.clock.now();
    await world.apiDown();
    const card = await world.ask('Survive an outage');
    await world.clock.advance(100_000);
    await toldLater(world, card, "Can't reach the agent");
    expect(world.clock.now() - startMs).toBeGreaterThanOrEqual(120_000);
    await world.apiUp();
    await toldLater(world, card, 'On it');
    const posts = await world.posts(card);
    expect(saying(posts, "Can't reach")).toHaveLength(1);
    expect(saying(posts, 'Back online')).toHaveLength(1);
    await world.clock.advance(60_000);
    expect(world.api.jobs.map(({ prompts }) => prompts)).toEqual([['Survive an outage']]);
  });

  test('a reply that waits through an outage is told of after two minutes, also over a restart (F2, W2)', async () => {
    await using world = await startWorld();
    const { card } = await watched(world);
    world.api.failAll({ status: 404 });
    const startMs = world.clock.now();
    await world.slack.reply(card, 'And a table');
    await world.clock.advance(60_000);
    await world.restart();
    await toldLater(world, card, "Can't reach the agent");
    const waitedMs = world.clock.now() - startMs;
    expect(waitedMs).toBeGreaterThanOrEqual(120_000);
    expect(waitedMs).toBeLessThan(190_000);
    world.api.failAll(null);
    await toldLater(world, card, 'Back online');
    expect(world.api.jobs[0]?.prompts).toEqual(['Add a quickstart', 'And a table']);
    expect(saying(await world.posts(card), "Can't reach")).toHaveLength(1);
  });
});
