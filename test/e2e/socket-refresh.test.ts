import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { above, includes } from '../support/is.ts';
import { stopBy } from '../support/later.ts';
import { alice, general } from '../support/local-slack.ts';
import { waitFor } from '../support/wait-for.ts';
import { type StrictWorld, startStrictWorld } from './support/strict-world.ts';

const help = { channel: general, user: alice, text: 'help' };
const opened = (world: StrictWorld) => world.slack.calls('apps.connections.open').length;
const slackCheck = async ({ service }: StrictWorld) => (await service.readiness()).checks.slack;
const connections = (world: StrictWorld, count: number) =>
  waitFor(() => world.slack.socket.connections(), count, { what: `${count} connections` });
/** Connections that the program has had so far. */
const had = (world: StrictWorld) => world.log.filter((line) => line.includes('socket_opened')).length;
const nextOpened = (world: StrictWorld, before: number) =>
  waitFor(() => had(world), above(before), { what: 'the next connection' });

describe.each(['warning', 'refresh_requested'] as const)(
  'a connection that Slack replaces (%s)',
  (reason) => {
    test('no command fails', async () => {
      await using world = await startStrictWorld();
      let isOver = false;
      const answers: Promise<boolean>[] = [];
      const typing = (async () => {
        while (!isOver) {
          answers.push(world.slack.control.command(help).then(({ acknowledged }) => acknowledged));
          await sleep(5);
        }
      })();
      for (let refresh = 0; refresh < 5; refresh += 1) {
        const before = opened(world);
        world.slack.socket.refresh(reason);
        await nextOpened(world, before);
        expect(await slackCheck(world)).toBe('ok');
        await world.clock.advance(10_000);
        await connections(world, 1);
      }
      isOver = true;
      await typing;
      const all = await Promise.all(answers);
      expect(all.length).toBeGreaterThan(20);
      expect(all.filter((isAcknowledged) => !isAcknowledged)).toEqual([]);
    });
  },
);

test('an acknowledgement goes out on the connection on which the request came, though it is being replaced', async () => {
  await using world = await startStrictWorld();
  // The program asks Slack who that is before it answers.
  const held = Promise.withResolvers<void>();
  world.slack.onCall(({ method }) => (method === 'users.info' ? { answerAfter: held.promise } : null));
  const typed = world.slack.control.command(help);
  await waitFor(() => world.slack.inFlight(), Boolean, { what: 'the command' });
  const before = had(world);
  world.slack.socket.refresh('warning');
  await nextOpened(world, before);
  held.resolve();
  expect(await typed).toMatchObject({ acknowledged: true });
});

test('50 replacements, at which Slack leaves the old connection open, leave one connection', async () => {
  await using world = await startStrictWorld();
  for (let refresh = 0; refresh < 50; refresh += 1) {
    const before = had(world);
    world.slack.socket.refresh('refresh_requested', { closes: false });
    await nextOpened(world, before);
    expect(world.slack.socket.connections()).toBeLessThan(4);
  }
  await world.clock.advance(15_000);
  await connections(world, 1);
  expect(opened(world)).toBe(51);
  expect(await world.slack.control.command(help)).toMatchObject({ acknowledged: true });
});

test('a connection that breaks is replaced at once, and until then the program is not ready', async () => {
  await using world = await startStrictWorld();
  await world.clock.advance(60_000);
  const letThrough = Promise.withResolvers<void>();
  world.slack.onCall(({ method }) =>
    method === 'apps.connections.open' ? { answerAfter: letThrough.promise } : null,
  );
  const brokenAtMs = performance.now();
  world.slack.socket.cut();
  await waitFor(() => slackCheck(world), 'no Socket Mode connection for 0 s', {
    what: 'the program to notice',
  });
  letThrough.resolve();
  await connections(world, 1);
  // Nobody moved the clock.
  expect(performance.now() - brokenAtMs).toBeLessThan(2_000);
  expect(await world.slack.control.command(help)).toMatchObject({ acknowledged: true });
  expect(await slackCheck(world)).toBe('ok');
});

test('a connection that cannot be opened is tried again after short pauses that grow to half a minute', async () => {
  await using world = await startStrictWorld();
  await world.clock.advance(60_000);
  let isRefused = true;
  const tries: number[] = [];
  const cutAtMs = world.clock.now();
  world.slack.onCall(({ method }) => {
    if (!isRefused || method !== 'apps.connections.open') return null;
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
  for (const [index, ms] of [
    250, 500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000,
  ].entries()) {
    expect(pauses[index + 1]).toBeGreaterThanOrEqual(ms);
    expect(pauses[index + 1]).toBeLessThanOrEqual(ms + 2 * stepMs);
  }
  expect(await slackCheck(world)).toMatch(/^no Socket Mode connection for \d+ s$/);
  isRefused = false;
  await world.later(() => slackCheck(world), 'ok', 'the connection');
});

test('a mistaken wait that Slack asks for lasts a minute', async () => {
  await using world = await startStrictWorld();
  let tries = 0;
  world.slack.onCall(({ method }) => {
    if (method !== 'apps.connections.open') return null;
    tries += 1;
    return tries === 1 ? { status: 429, headers: { 'retry-after': '60000' } } : null;
  });
  world.slack.socket.cut();
  await waitFor(() => world.log.join(), includes('socket_not_reopened'), { what: 'the refusal' });
  const before = had(world);
  await world.clock.advance(61_000);
  await nextOpened(world, before);
});

test.each(['too_many_websockets', 'link_disabled'] as const)(
  'a Slack that answers each connection with "%s" is not besieged',
  async (reason) => {
    await using world = await startStrictWorld();
    await world.clock.advance(60_000);
    world.slack.socket.greetWith(reason);
    world.slack.socket.cut();
    const startedAtMs = world.clock.now();
    await world.later(() => opened(world), above(8), 'some tries');
    expect(world.clock.now() - startedAtMs).toBeGreaterThan(14_000);
    world.slack.socket.greetWith(null);
    await world.later(() => slackCheck(world), 'ok', 'the connection');
    await world.clock.advance(15_000);
    await connections(world, 1);
  },
);

describe('a stop while the connection is being replaced', () => {
  test.each([
    ['before Slack gives an address', 'apps.connections.open'],
    ['before Slack greets', 'greeting'],
  ] as const)('ends clean: %s', async (_when, what) => {
    const world = await startStrictWorld();
    const failures: unknown[] = [];
    const onFailure = (reason: unknown) => void failures.push(reason);
    process.on('unhandledRejection', onFailure);
    const held = Promise.withResolvers<void>();
    if (what === 'greeting') world.slack.socket.greetWith('silence');
    else {
      world.slack.onCall(({ method }) => (method === what ? { answerAfter: held.promise } : null));
    }
    const before = opened(world);
    world.slack.socket.refresh('warning');
    await waitFor(() => opened(world), above(before), { what: 'the next connection to be asked for' });
    if (what === 'greeting') await connections(world, 2);
    await stopBy(world.clock, world.service);
    held.resolve();
    await connections(world, 0);
    await sleep(100);
    expect(world.slack.socket.connections()).toBe(0);
    await world[Symbol.asyncDispose]();
    process.off('unhandledRejection', onFailure);
    expect(failures).toEqual([]);
  });
});
