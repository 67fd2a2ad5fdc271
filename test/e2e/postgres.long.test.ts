import { describe, expect, onTestFinished, test } from 'vitest';
import { parseConfig } from '../../src/app/config/config.ts';
import { createLogger } from '../../src/app/operations/logger.ts';
import { createService } from '../../src/app/service.ts';
import { includes } from '../support/is.ts';
import { alice, bob, describeWithLocalSlack, general } from '../support/local-slack.ts';
import { createTestDatabase, testServerUrl } from '../support/postgres.ts';
import { noFiles } from '../support/settings.ts';
import { receipt } from './support/posts.ts';
import { startWorld, type World } from './support/world.ts';

if (testServerUrl === undefined) {
  describe.skip('the main job on Postgres (skipped: to run it, set TEST_DATABASE_URL=postgres://user@host:5432/postgres)', () => {
    test('is done once by several replicas', () => {});
  });
} else {
  postgresSuite(testServerUrl);
}

/** The shortest, with the second that it may take to find what the other replica scheduled. */
const POLL_INTERVAL_MS = 6_000;

// Time moves here only while no replica waits for anybody: a jump over the life of a lease in the middle of a
// call, which a renewal cannot follow, would have the other replica take the call over.
function postgresSuite(serverUrl: string): void {
  /** `world.service` is one replica; another one runs beside it, with a connection to Slack of its own. */
  async function startReplicas(): Promise<World> {
    const database = await createTestDatabase(serverUrl);
    onTestFinished(() => database.drop());
    const settings = { DATABASE_URL: database.url, SETTLE_WINDOW: '0' };
    const world = await startWorld({ mode: 'socket', settings });
    onTestFinished(() => world[Symbol.asyncDispose]());
    const log = createLogger({ level: 'debug', destination: { write: () => {} } });
    const config = parseConfig({ ...world.env, PORT: '0' }, noFiles);
    const other = createService(config, { clock: world.clock, log });
    await other.start();
    onTestFinished(() => other.stop());
    return world;
  }

  /** Ends each job at the agent API with a pull request of its own, and lets the time of the next checks come. */
  async function finishAll({ api, clock }: World): Promise<void> {
    for (const [index, { id }] of api.jobs.entries()) {
      api.finish(id, { status: 'completed', prLink: `https://github.com/acme/docs/pull/${index + 1}` });
    }
    await clock.advance(POLL_INTERVAL_MS);
  }

  const announced = async (world: World) =>
    (await world.slack.messages(general)).filter(({ text }) => text.includes('🎉'));

  describeWithLocalSlack('two replicas on one Postgres', () => {
    test('that both get every request do the main job once (S1, S5, F1, W3)', async () => {
      const world = await startReplicas();
      const root = await world.ask('Add a quickstart');
      await world.threadMessage(root, 'On it');
      const text = 'Mention the CLI';
      const reply = await world.slack.reply(root, text);
      await receipt(world.slack, reply, 'eyes');
      await world.clock.advance(4_000);
      await receipt(world.slack, reply, 'white_check_mark');
      await finishAll(world);
      await world.threadMessage(root, '🎉');
      await world.later(() => world.card(root), includes('✅'), 'the card to show the end');
      await world.clock.advance(60_000);

      const { socket } = world.proxy;
      expect(socket.envelopes().length).toBeGreaterThanOrEqual(2);
      await expect
        .poll(() => socket.acks().length, { message: 'the answers of both' })
        .toEqual(2 * socket.envelopes().length);
      expect(world.api.jobs.map(({ prompts }) => prompts)).toEqual([['Add a quickstart', text]]);
      expect(world.api.counts).toMatchObject({ create: 1, message: 1 });
      const cards = (await world.slack.messages(general)).filter(({ thread_ts }) => thread_ts === undefined);
      expect(cards).toHaveLength(1);
      const posts = (await world.posts(root)).filter(({ user }) => user !== bob);
      const signs = posts.map((post) => ['🎉', 'On it'].find((sign) => post.text.includes(sign)));
      expect(signs.toSorted()).toEqual(['On it', '🎉']);
    });

    test('share many requests at once, and double none of them', async () => {
      const world = await startReplicas();
      const prompts = Array.from({ length: 6 }, (_, index) => `Document part ${index}.`);
      // Requests of one person in a channel wait for each other, and both replicas get all: on a busy machine, more of
      // them would not be stored within the time that Slack allows.
      const userOf = (index: number) => (index % 2 === 0 ? alice : bob);
      await Promise.all(
        prompts.map((text, index) => world.slack.command({ channel: general, user: userOf(index), text })),
      );
      const working = async () =>
        (await world.slack.messages(general)).filter(
          ({ text, thread_ts }) => thread_ts !== undefined && text.includes('On it'),
        ).length;
      const isAll = (count: number) => count === prompts.length;
      await expect.poll(working, { message: 'all the jobs to start' }).toSatisfy(isAll);
      await finishAll(world);
      const links = async () => (await announced(world)).map(({ text }) => /pull\/\d+/.exec(text)?.[0]);
      await expect.poll(async () => (await links()).length, { message: 'the links' }).toSatisfy(isAll);
      await world.clock.advance(60_000);

      expect(world.api.jobs.flatMap((job) => job.prompts).toSorted()).toEqual(prompts.toSorted());
      const cards = (await world.slack.messages(general)).filter(
        ({ text, thread_ts }) => thread_ts === undefined && text.includes('*Document part'),
      );
      expect(cards).toHaveLength(prompts.length);
      expect(await links()).toHaveLength(prompts.length);
      expect(new Set(await links()).size).toBe(prompts.length);
    });

    test('may become one: the other goes on with the jobs of the one that stopped', async () => {
      const world = await startReplicas();
      const root = await world.ask('Add a quickstart');
      await world.threadMessage(root, 'On it');
      await world.service.stop();
      await finishAll(world);
      await world.threadMessage(root, '🎉');
      await world.threadMessage(await world.ask('Add an FAQ'), 'On it');
      expect(world.api.counts.create).toBe(2);
      expect(await announced(world)).toHaveLength(1);
    });
  });
}
