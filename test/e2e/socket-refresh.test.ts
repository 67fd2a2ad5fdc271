import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { above, includes } from '../support/is.ts';
import { stopBy } from '../support/later.ts';
import { scrape } from '../support/scraped.ts';
import { waitFor } from '../support/wait-for.ts';
import { startStrictWorld } from './support/strict-world.ts';

const OPEN = 'apps.connections.open';

async function start() {
  const world = await startStrictWorld();
  const { slack, log } = world;
  /** Connections that the program has had so far. */
  const had = () => log.filter((line) => line.includes('socket_opened')).length;
  return Object.assign(world, {
    had,
    opened: () => slack.calls(OPEN).length,
    slackCheck: async () => (await world.service.readiness()).checks.slack,
    connections: (count: number) =>
      waitFor(() => slack.socket.connections(), count, { what: `${count} connections` }),
    nextOpened: (before: number) => waitFor(had, above(before), { what: 'the next connection' }),
    isAnswered: async () => (await world.command('help')).acknowledged,
    /** Answers of Slack that wait for the returned function. */
    hold: (held: string) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      slack.onCall(({ method }) => (method === held ? { answerAfter: promise } : null));
      return resolve;
    },
  });
}

test.each(['warning', 'refresh_requested'] as const)(
  'while Slack replaces connections (%s), no command fails',
  async (reason) => {
    await using world = await start();
    let isOver = false;
    const answers: Promise<boolean>[] = [];
    const typing = (async () => {
      while (!isOver) {
        answers.push(world.isAnswered());
        await sleep(5);
      }
    })();
    for (let refresh = 0; refresh < 5; refresh += 1) {
      const before = world.had();
      world.slack.socket.refresh(reason);
      await world.nextOpened(before);
      expect(await world.slackCheck()).toBe('ok');
      await world.clock.advance(10_000);
      await world.connections(1);
    }
    isOver = true;
    await typing;
    const all = await Promise.all(answers);
    expect(all.length).toBeGreaterThan(20);
    expect(all.filter((isAcknowledged) => !isAcknowledged)).toEqual([]);
  },
);

test('an acknowledgement goes out on the connection on which the request came, though it is being replaced', async () => {
  await using world = await start();
  // The program asks Slack who that is before it answers.
  const release = world.hold('users.info');
  const typed = world.isAnswered();
  await waitFor(() => world.slack.inFlight(), Boolean, { what: 'the command' });
  const before = world.had();
  world.slack.socket.refresh('warning');
  await world.nextOpened(before);
  release();
  expect(await typed).toBe(true);
});

test('50 replacements, at which Slack leaves the old connection open, leave one connection', async () => {
  await using world = await start();
  for (let refresh = 0; refresh < 50; refresh += 1) {
    const before = world.had();
    world.slack.socket.refresh('refresh_requested', { closes: false });
    await world.nextOpened(before);
    expect(world.slack.socket.connections()).toBeLessThan(4);
  }
  await world.clock.advance(15_000);
  await world.connections(1);
  expect(world.opened()).toBe(51);
  expect(await world.isAnswered()).toBe(true);
});

test('a connection that breaks is replaced at once, and until then the program is not ready', async () => {
  await using world = await start();
  await world.clock.advance(60_000);
  const release = world.hold(OPEN);
  const brokenAtMs = performance.now();
  world.slack.socket.cut();
  await waitFor(world.slackCheck, 'no Socket Mode connection for 0 s', { what: 'the program to notice' });
  expect(await scrape(world.service)).toMatchObject({ docs_agent_slack_connection_up: 0 });
  release();
  await world.connections(1);
  // Nobody moved the clock.
  expect(performance.now() - brokenAtMs).toBeLessThan(2_000);
  expect(await world.isAnswered()).toBe(true);
  expect(await world.slackCheck()).toBe('ok');
});

test('a connection that cannot be opened is tried again after short pauses that grow to half a minute', async () => {
  await using world = await start();
  await world.clock.advance(60_000);
  let isRefused = true;
  const tries: number[] = [];
  const cutAtMs = world.clock.now();
  world.slack.onCall(({ method }) => {
    if (!isRefused || method !== OPEN) return null;
    tries.push(world.clock.now() - cutAtMs);
    // An administrator may mend the token.
    return { error: tries.length % 2 === 0 ? 'invalid_auth' : 'internal_error' };
  });
  world.slack.socket.cut();
  const stepMs = 250;
  while (tries.length < 12) {
    const before = tries.length;
    // What follows from an answer takes real time.
    const refusals = () => world.log.filter((line) => line.includes('socket_not_reopened')).length;
    await waitFor(refusals, (count) => count === tries.length, { what: 'the refusal' });
    if (tries.length === before && before > 1) await world.clock.advance(stepMs);
    else await sleep(5);
  }
  const pauses = tries.slice(1).map((atMs, index) => atMs - (tries[index] ?? 0));
  expect(tries.slice(0, 2)).toEqual([0, 0]);
  const expected = [250, 500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000];
  for (const [index, ms] of expected.entries()) {
    expect(pauses[index + 1]).toBeGreaterThanOrEqual(ms);
    expect(pauses[index + 1]).toBeLessThanOrEqual(ms + 2 * stepMs);
  }
  expect(await world.slackCheck()).toMatch(/^no Socket Mode connection for \d+ s$/);
  isRefused = false;
  await world.later(world.slackCheck, 'ok', 'the connection');

  // A mistaken wait that Slack asks for lasts a minute.
  let waits = 1;
  world.slack.onCall(({ method }) => {
    if (method !== OPEN || waits === 0) return null;
    waits -= 1;
    return { status: 429, headers: { 'retry-after': '60000' } };
  });
  await world.clock.advance(60_000);
  const refused = world.log.length;
  world.slack.socket.cut();
  const since = () => world.log.slice(refused).join();
  await waitFor(since, includes('socket_not_reopened'), { what: 'the refusal' });
  const before = world.had();
  await world.clock.advance(61_000);
  await world.nextOpened(before);
});

test.each(['too_many_websockets', 'link_disabled'] as const)(
  'a Slack that answers each connection with "%s" is not besieged',
  async (reason) => {
    await using world = await start();
    await world.clock.advance(60_000);
    world.slack.socket.greetWith(reason);
    world.slack.socket.cut();
    const startedAtMs = world.clock.now();
    await world.later(world.opened, above(8), 'some tries');
    expect(world.clock.now() - startedAtMs).toBeGreaterThan(14_000);
    world.slack.socket.greetWith(null);
    await world.later(world.slackCheck, 'ok', 'the connection');
    await world.clock.advance(15_000);
    await world.connections(1);
  },
);

test.each([
  ['before Slack gives an address', OPEN],
  ['before Slack greets', 'greeting'],
] as const)('a stop while the connection is being replaced ends clean: %s', async (_when, what) => {
  await using world = await start();
  const release = what === OPEN ? world.hold(OPEN) : () => {};
  if (what === 'greeting') world.slack.socket.greetWith('silence');
  const before = world.opened();
  world.slack.socket.refresh('warning');
  await waitFor(world.opened, above(before), { what: 'the next connection to be asked for' });
  if (what === 'greeting') await world.connections(2);
  await stopBy(world.clock, world.service);
  release();
  await world.connections(0);
});
