import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { agentCalls } from '../crash/support/outside.ts';
import { alice, general, type SlackMessage } from '../support/local-slack.ts';
import { describeReplicas, type Replicas, startReplicas } from './support/replicas.ts';
import { ask, expectStory, reply } from './support/story.ts';

const ROUNDS = 3;
/** A lease that has to run out, or a post that has to be looked for twice, would take longer. */
const LONGEST_WAIT_S = 15;
/** A stop may last so long; what follows has three seconds more. */
const STOP_LIMIT_MS = 10_000;
/** As long as a stop may take in which nothing is waited for, and longer than a lease that is not renewed. */
const LONG_CALL_MS = 26_000;

/** At the same time: they wait for real time limits. */
describeReplicas('a replica that is stopped', (serverUrl) => {
  test.concurrent('while the agent takes longer than STOP_TIMEOUT hands the call back: the other one says at once that its fate is unknown', async () => {
    await using world = await startReplicas(serverUrl, { STOP_TIMEOUT: '10s' });
    const first = await world.start();
    world.agentProxy.fail(agentCalls.create, { answerAfter: new Promise(() => {}) });
    await ask(world);
    await isWithAgent(world);
    await world.start();

    const atMs = Date.now();
    first.kill('SIGTERM');
    expect(await first.exit).toEqual({ code: 0, signal: null });
    expect(Date.now() - atMs).toBeLessThan(STOP_LIMIT_MS);
    expect(first.log().map(({ event }) => event)).toContain('task_released');
    expect(first.log().filter(({ level }) => level === 'error')).toEqual([]);
    await world.messageSeen("Couldn't confirm");
    // Long before the lease would have run out.
    expect(Date.now() - atMs).toBeLessThan(STOP_LIMIT_MS + 3_000);
    expect(world.api.counts.create).toBe(1);
  });

  test.concurrent('while the agent takes long waits for the answer, and keeps its lease', async () => {
    await using world = await startReplicas(serverUrl);
    const first = await world.start();
    world.agentProxy.fail(agentCalls.create, { answerAfter: sleep(LONG_CALL_MS) });
    await ask(world);
    await isWithAgent(world);
    await world.start();
    first.kill('SIGTERM');
    expect(await first.exit).toEqual({ code: 0, signal: null });
    expect(first.log().map(({ event }) => event)).not.toContain('task_released');
    await world.messageSeen('On it');
    await expectStory(world, 'On it');
    expect(world.api.counts.create).toBe(1);
  });

  test.concurrent('while Postgres hangs ends in time all the same, and says that it was cut short', async () => {
    await using world = await startReplicas(serverUrl);
    const first = await world.start();
    // A stop waits for what is in flight: here, for the first work on a request.
    const held = world.databaseProxy.hold('before', /update "task"/);
    await ask(world);
    await held;
    world.databaseProxy.standStill();
    const atMs = Date.now();
    first.kill('SIGTERM');
    expect(await first.exit).toEqual({ code: 1, signal: null });
    expect(first.log().at(-1)).toMatchObject({ event: 'stop_cut_short', reason: 'limit' });
    expect(Date.now() - atMs).toBeLessThan(STOP_LIMIT_MS);
  });
});

describeReplicas('a rolling restart, over and over', (serverUrl) => {
  test('loses and doubles nothing, and keeps nobody waiting', async () => {
    await using world = await startReplicas(serverUrl);
    let oldest = await world.start();
    let next = await world.start();
    const asked: string[] = [];
    const replied: string[] = [];
    let isOver = false;
    const people = (async () => {
      while (!isOver) {
        const text = `Document endpoint ${asked.length + 1}, please`;
        asked.push(text);
        await world.slack.command({ channel: general, user: alice, text });
        const card = await cardOf(world, text);
        const words = `And its errors ${asked.length}`;
        replied.push(words);
        await reply(world, card, words);
      }
    })();
    for (let round = 0; round < ROUNDS; round += 1) {
      const before = asked.length;
      await expect
        .poll(() => asked.length, { message: 'people to go on' })
        .toBeGreaterThanOrEqual(before + 2);
      const atMs = Date.now();
      oldest.kill('SIGTERM');
      expect(await oldest.exit).toEqual({ code: 0, signal: null });
      expect(Date.now() - atMs).toBeLessThan(STOP_LIMIT_MS);
      oldest = next;
      next = await world.start();
    }
    isOver = true;
    await people;
    await expect
      .poll(() => world.api.counts.message, { message: 'all replies to arrive' })
      .toBeGreaterThanOrEqual(replied.length);
    await expect
      .poll(async () => (await posts(world, 'On it')).length, {
        message: 'all jobs to be said to be at work',
      })
      .toBeGreaterThanOrEqual(asked.length);

    await world.isAtRest([...asked, ...replied]);
    expect(await posts(world, "Couldn't confirm")).toEqual([]);
    const waits = (await posts(world, 'On it')).map((post) => Number(post.ts) - Number(post.thread_ts));
    expect(Math.max(...waits)).toBeLessThan(LONGEST_WAIT_S);
  });
});

/** The agent has the prompt, and has not answered. */
async function isWithAgent(world: Replicas): Promise<void> {
  await world.hasInFlight('call_agent');
  const isThere = (creates: number) => creates > 0;
  await world.until(() => world.api.counts.create, isThere, 'the agent to have the prompt');
}

async function cardOf(world: Replicas, text: string): Promise<SlackMessage> {
  const find = async () =>
    (await world.messages()).find(
      (message) => message.thread_ts === undefined && message.text.includes(text),
    );
  return world.until(find, (card) => card !== undefined, `the card of "${text}"`) as Promise<SlackMessage>;
}

async function posts(world: Replicas, words: string): Promise<SlackMessage[]> {
  return (await world.messages()).filter((m) => m.thread_ts !== undefined && m.text.includes(words));
}
