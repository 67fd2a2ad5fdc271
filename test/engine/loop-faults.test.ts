import { describe, expect, test } from 'vitest';
import { createLoopWorld } from './support/a-loop.ts';
import { aLoop } from './support/worker.ts';

/** A loop that has the task `long` in flight, until `worker.finish('long')`. */
async function withTaskInHand() {
  const { worker, world } = await aLoop({ due: ['long'] });
  worker.delay('long');
  await world.start();
  return { worker, world };
}

describe('a handler that throws', () => {
  test('gets its task again later, and later still the more often it throws', async () => {
    const attempts: { atMs: number; attempts: number }[] = [];
    const world = await createLoopWorld(async (task) => {
      attempts.push({ atMs: world.clock.now() - startMs, attempts: task.attempts });
      throw new Error('no luck');
    });
    const startMs = world.clock.now();
    await world.schedule('a');
    world.loop.start();
    await world.clock.advance(40_000);
    expect(attempts).toEqual([
      { atMs: 0, attempts: 0 },
      { atMs: 5_000, attempts: 1 },
      { atMs: 15_000, attempts: 2 },
      { atMs: 35_000, attempts: 3 },
    ]);
    expect(world.log.filter(({ event }) => event === 'task_failed')).toHaveLength(4);
    expect(world.log.find(({ event }) => event === 'task_failed')).toMatchObject({
      task: 'check_job',
      subject: 'a',
      error: { message: 'no luck' },
    });
  });
});

describe('a lease', () => {
  test('is renewed for as long as its task is in hand, also while the loop stops', async () => {
    const { world, worker } = await withTaskInHand();
    const isTaken = async () => (await world.claimElsewhere(world.clock.now())).length > 0;
    for (let second = 0; second < 60; second += 1) {
      await world.clock.advance(1_000);
      expect(await isTaken()).toBe(false);
    }
    const stopped = world.loop.stop();
    for (let second = 0; second < 6; second += 1) {
      await world.clock.advance(1_000);
      expect(await isTaken()).toBe(false);
    }
    worker.finish('long');
    await stopped;
    expect(worker.done).toEqual(['long']);
  });

  test.each([
    ['the process was frozen for 26 seconds', 'freeze', 26_000],
    ['the clock is put forward by an hour', 'step', 3_600_000],
    ['the clock is set back by an hour', 'step', -3_600_000],
  ] as const)('keeps its task in the same hand when %s', async (_what, verb, ms) => {
    const { worker, world } = await withTaskInHand();
    world.clock[verb](ms);
    await world.clock.advance(60_000);
    expect(worker.taken).toEqual(['long']);
    expect(await world.claimElsewhere(world.clock.now())).toEqual([]);
    worker.finish('long');
    await world.settle();
    expect(worker.done).toEqual(['long']);
    expect(world.logged).not.toContain('task_lease_lost');
  });

  test('is given back by a stop that has waited seven seconds: others may take the task at once', async () => {
    const { worker, world } = await withTaskInHand();
    const stopped = world.loop.stop();
    await world.clock.advance(6_999);
    expect(await world.claimElsewhere(world.clock.now())).toEqual([]);
    await world.clock.advance(1);
    await stopped;
    expect(await world.claimElsewhere(world.clock.now())).toMatchObject([{ subject: 'long', attempts: 0 }]);
    // What the stopped one writes all the same is undone, without a fuss.
    worker.finish('long');
    await world.settle();
    expect(world.logged).toEqual(['task_released']);
  });

  test('of a task whose process is gone runs out after 24 seconds', async () => {
    const { worker, world } = await aLoop({ due: ['long'] });
    worker.delay('long');
    // One look without a start: nothing renews the lease, as after a crash.
    const looking = world.loop.tick();
    await world.clock.advance(23_999);
    expect(await world.claimElsewhere(world.clock.now())).toEqual([]);
    await world.clock.advance(1);
    expect(await world.claimElsewhere(world.clock.now())).toMatchObject([{ subject: 'long' }]);
    worker.finish('long');
    await looking;
  });
});

describe('a store that fails', () => {
  test('makes the loop pause for a second each time, and heals', async () => {
    const { worker, world } = await aLoop({ due: ['a'] });
    const broken = world.breakStore();
    await world.start();
    expect(broken.attempts).toBe(1);
    await world.clock.advance(3_000);
    expect(broken.attempts).toBe(4);
    expect(world.loop.state().problem).toBeNull();
    expect(world.log.filter(({ event }) => event === 'loop_failed')).toHaveLength(4);
    broken.mend();
    await world.clock.advance(1_000);
    expect(worker.done).toEqual(['a']);
  });

  test('at a renewal is tried again at the next', async () => {
    const { worker, world } = await withTaskInHand();
    await world.clock.advance(7_500);
    const broken = world.breakStore();
    await world.clock.advance(1_000);
    broken.mend();
    expect(world.logged).toContain('leases_not_renewed');
    await world.clock.advance(20_000);
    expect(await world.claimElsewhere(world.clock.now())).toEqual([]);
    worker.finish('long');
  });
});
