import { expect, test } from 'vitest';
import { describeOnDatabases } from '../support/databases.ts';
import { createBudgetWorld } from './support/budget-world.ts';

const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const REQUESTS = 21;
const SPACING_MS = 2_500;

type World = Awaited<ReturnType<typeof createBudgetWorld>>;
type Called = World['tries'][number];

const numberOf = ({ prompt }: Called) => Number(prompt.split(' ').at(-1));
const inOrder = [...Array(REQUESTS).keys()];

/** Calls that went out although the agent had asked for a pause, and nobody had pressed *Send now*. */
function callsInPauses({ tries, sent }: World): Called[] {
  const isRefused = (call: Called) => !sent.includes(call);
  return tries.filter((call, index) =>
    tries
      .slice(0, index)
      .some((earlier) => isRefused(earlier) && earlier.atMs < call.atMs && call.atMs < earlier.freeAtMs),
  );
}

describeOnDatabases('an agent that limits the rate of calls', (makeEmpty) => {
  const worldOf = async () => createBudgetWorld(await makeEmpty());

  test('21 requests that come a second apart go out in their order, few calls are refused, and none in a pause (F2)', async () => {
    const world = await worldOf();
    world.setLimit({ spacingMs: SPACING_MS });
    const startMs = world.clock.now();
    for (const number of inOrder) {
      await world.ask(`Request ${number}`);
      await world.workUntil(world.clock.now() + SECOND_MS);
    }
    const askedMs = world.clock.now() - startMs;
    await world.workUntil(startMs + 5 * MINUTE_MS);
    expect(world.sent.map(numberOf)).toEqual(inOrder);
    expect(world.tries.length - world.sent.length).toBeLessThanOrEqual(REQUESTS);
    expect(callsInPauses(world)).toEqual([]);
    // No time is lost either.
    const lastMs = (world.sent.at(-1)?.atMs ?? 0) - startMs;
    expect(lastMs).toBeLessThanOrEqual(Math.max(askedMs, (REQUESTS - 1) * SPACING_MS));
  });

  test('21 requests at the same moment: what is not on its way when the first is refused waits in line (F2)', async () => {
    const world = await worldOf();
    world.setLimit({ spacingMs: SPACING_MS });
    for (const number of inOrder) await world.ask(`Request ${number}`);
    await world.workUntil(world.clock.now() + 5 * MINUTE_MS);
    const [first, ...others] = world.sent.map(numberOf);
    expect(others).toEqual(inOrder.filter((number) => number !== first));
    expect(world.tries.length - world.sent.length).toBeLessThanOrEqual(2 * REQUESTS);
    expect(callsInPauses(world)).toEqual([]);
  });

  test('without a word of how long, it is asked at growing distances, and still in their order (F2)', async () => {
    const world = await worldOf();
    world.setLimit({ spacingMs: 20 * SECOND_MS, retryAfterMs: () => null });
    for (const number of inOrder) {
      await world.ask(`Request ${number}`);
      await world.workUntil(world.clock.now() + SECOND_MS);
    }
    await world.workUntil(world.clock.now() + HOUR_MS);
    expect(world.sent.map(numberOf)).toEqual(inOrder);
    // After 5, 15 and 35 seconds.
    expect(world.tries.length - world.sent.length).toBeLessThanOrEqual(3 * REQUESTS);
  });

  test('replies wait in the same line, each once in the ledger for each time that it is tried (F2)', async () => {
    const world = await worldOf();
    const jobs: string[] = [];
    for (const number of [0, 1, 2]) {
      jobs.push(await world.ask(`Request ${number}`));
      await world.workUntil(world.clock.now() + MINUTE_MS);
    }
    world.setLimit({ spacingMs: 30 * SECOND_MS });
    for (const [index, jobId] of jobs.entries()) {
      await world.reply(jobId, `Reply ${10 + 2 * index}`);
      await world.workUntil(world.clock.now() + 5 * SECOND_MS);
      await world.ask(`Request ${11 + 2 * index}`);
      await world.workUntil(world.clock.now() + SECOND_MS);
    }
    await world.workUntil(world.clock.now() + 10 * MINUTE_MS);
    expect(world.sent.map(numberOf)).toEqual([0, 1, 2, 10, 11, 12, 13, 14, 15]);
    expect(callsInPauses(world)).toEqual([]);
    const calls = await world.store.transaction((tx) => Promise.all(jobs.map((id) => tx.lists.callsOf(id))));
    for (const made of calls)
      expect(made.filter(({ request }) => request.kind === 'send_message').length).toBeLessThanOrEqual(4);
  });

  test('requests that wait for an agent that is away try again at their own pace, and do not wake each other (E1)', async () => {
    const world = await worldOf();
    world.setAway(true);
    for (const number of [1, 2, 3]) await world.ask(`Request ${number}`);
    await world.workUntil(world.clock.now() + 10 * MINUTE_MS);
    // After 5, 10, 20 and 40 seconds, and then once a minute.
    expect(world.tries.length).toBeLessThanOrEqual(3 * 20);
    world.setAway(false);
    await world.workUntil(world.clock.now() + MINUTE_MS);
    expect(world.sent.map(numberOf).toSorted()).toEqual([1, 2, 3]);
  });

  test('people go before what starts by itself', async () => {
    const world = await worldOf();
    world.setLimit({ spacingMs: MINUTE_MS });
    for (const number of [0, 2, 4]) await world.ask(`Recipe ${number}`, { requesterId: null });
    await world.workUntil(world.clock.now() + SECOND_MS);
    for (const number of [1, 3]) await world.ask(`Request ${number}`);
    await world.workUntil(world.clock.now() + 10 * MINUTE_MS);
    const people = world.sent.filter(({ prompt }) => prompt.startsWith('Request')).map(numberOf);
    expect(world.sent.map(numberOf).slice(1, 3)).toEqual(people);
    expect(people).toEqual([1, 3]);
    expect(world.sent).toHaveLength(5);
  });

  test('a mistaken pause of an hour ends for all as soon as one call is tried and taken', async () => {
    const world = await worldOf();
    world.setLimit({ spacingMs: SECOND_MS, retryAfterMs: () => HOUR_MS });
    const jobs: string[] = [];
    for (const number of [0, 1, 2, 3]) jobs.push(await world.ask(`Request ${number}`));
    await world.workUntil(world.clock.now() + MINUTE_MS);
    expect(world.sent).toHaveLength(1);
    const pausedMs = world.clock.now();
    const pauses = () => world.store.transaction((tx) => tx.budgetQueue.paused(world.clock.now()));
    expect(await pauses()).toMatchObject([
      { projectId: 'handbook', untilMs: pausedMs - MINUTE_MS + HOUR_MS },
    ]);
    world.setLimit(null);
    const waiting = jobs.filter((_, index) => index !== world.sent.map(numberOf)[0]);
    await world.happen(waiting[1] ?? '', { type: 'send_now_pressed', message: 1 });
    await world.workUntil(pausedMs + SECOND_MS);
    expect(world.sent.map(numberOf)).toHaveLength(4);
    expect(await pauses()).toEqual([]);
  });

  test('a start keeps to its pause when another, which was on its way, succeeds', async () => {
    const world = await worldOf();
    const slow = world.holdNext();
    await world.ask('Request 0');
    const working = world.workUntil(world.clock.now());
    await slow.isCalled;
    world.setLimit({ spacingMs: MINUTE_MS });
    world.limitNow();
    await world.ask('Request 1');
    await world.workUntil(world.clock.now());
    slow.answer();
    await working;
    await world.workUntil(world.clock.now() + 59 * SECOND_MS);
    expect(world.tries).toHaveLength(2);
    await world.workUntil(world.clock.now() + SECOND_MS);
    expect(world.sent.map(numberOf)).toEqual([0, 1]);
  });

  test('after a pause, nobody is sent while the call before has no answer (F2)', async () => {
    const world = await worldOf();
    world.setLimit({ spacingMs: MINUTE_MS });
    for (const number of [0, 1, 2]) {
      await world.ask(`Request ${number}`);
      await world.workUntil(world.clock.now());
    }
    const slow = world.holdNext();
    const working = world.workUntil(world.clock.now() + MINUTE_MS);
    await slow.isCalled;
    await world.workUntil(world.clock.now() + 30 * SECOND_MS);
    expect(world.tries.map(numberOf)).toEqual([0, 1, 1]);
    slow.answer();
    await working;
    await world.workUntil(world.clock.now() + 5 * MINUTE_MS);
    expect(world.sent.map(numberOf)).toEqual([0, 1, 2]);
  });

  test('the line goes on if the first in it cannot come yet', async () => {
    const world = await worldOf();
    const startMs = world.clock.now();
    const first = await world.ask('Request 0');
    await world.workUntil(startMs + SECOND_MS);
    world.setLimit({ spacingMs: MINUTE_MS });
    await world.ask('Request 1');
    await world.workUntil(startMs + 2 * SECOND_MS);
    await world.reply(first, 'Reply 2');
    await world.workUntil(startMs + 10 * SECOND_MS);
    for (const number of [3, 4]) await world.ask(`Request ${number}`);
    await world.workUntil(startMs + MINUTE_MS);
    // Older replies may turn up: the thread is read first.
    await world.store.transaction(async (tx) => {
      const job = await tx.jobs.get(first);
      if (job !== null) await tx.catchUps.request(job, world.clock.now());
    });
    await world.workUntil(startMs + 10 * MINUTE_MS);
    expect(world.sent.map(({ prompt, atMs }) => [prompt, (atMs - startMs) / SECOND_MS])).toEqual([
      ['Request 0', 0],
      ['Request 1', 1],
      ['Request 3', 71],
      ['Request 4', 141],
      ['Reply 2', expect.any(Number)],
    ]);
  });
});
