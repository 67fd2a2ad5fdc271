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

  test('does not keep the others from their work', async () => {
    const done: string[] = [];
    const world = await createLoopWorld(async (task) => {
      if (task.subject === 'bad') throw new Error('no luck');
      await world.complete(task);
      done.push(task.subject);
    });
    await world.schedule('bad', -1);
    await world.schedule('good');
    await world.start();
    expect(done).toEqual(['good']);
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

  test('that was lost by the time its task fails is not logged and counted a second time', async () => {
    const goOn = Promise.withResolvers<void>();
    const world = await createLoopWorld(async () => {
      await goOn.promise;
      throw new Error('no luck');
    });
    await world.schedule('a');
    await world.start();
    await world.claimElsewhere(world.clock.now() + 86_400_000);
    goOn.resolve();
    await world.settle();
    expect(world.logged).toEqual(['task_failed']);
  });

  test('runs out by itself when the store is away during a stop, which ends well all the same', async () => {
    const { world } = await withTaskInHand();
    const store = world.breakStore();
    const stopped = world.loop.stop();
    await world.clock.advance(7_000);
    await expect(stopped).resolves.toBeUndefined();
    expect(world.logged).toContain('tasks_not_released');
    store.mend();
    expect(await world.claimElsewhere(world.clock.now())).toEqual([]);
    expect(await world.claimElsewhere(world.clock.now() + 24_000)).toMatchObject([{ subject: 'long' }]);
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

  test('that was lost writes nothing, and is not taken back', async () => {
    const goOn = Promise.withResolvers<void>();
    const world = await createLoopWorld(async (task) => {
      await goOn.promise;
      await world.store.transaction(async (tx) => {
        await tx.inboundRequests.remember(['written'], world.clock.now());
        await tx.tasks.complete(task.lease);
      });
    });
    await world.schedule('a');
    await world.start();
    const aDayOnMs = world.clock.now() + 86_400_000;
    const [other] = await world.claimElsewhere(aDayOnMs);
    if (other === undefined) throw new Error('the lease ran out a day ago');
    await world.clock.advance(30_000);
    goOn.resolve();
    await world.settle();

    expect(world.log.filter(({ event }) => event.startsWith('task_'))).toMatchObject([
      { event: 'task_lease_lost', level: 'warn', subject: 'a' },
    ]);
    expect(await world.store.transaction((tx) => tx.inboundRequests.remember(['written'], 1))).toBe(true);
    await world.store.transaction((tx) => tx.tasks.complete(other.lease));
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

  test('can be stopped during the pause', async () => {
    const { world } = await aLoop();
    const broken = world.breakStore();
    await world.start();
    await world.loop.stop();
    await world.clock.advance(10_000);
    expect(broken.attempts).toBe(1);
  });

  test('while a task is in hand leaves it to its lease: it is taken again after 24 seconds', async () => {
    const attempts: number[] = [];
    const goOn = Promise.withResolvers<void>();
    const world = await createLoopWorld(async (task) => {
      attempts.push(world.clock.now() - startMs);
      await goOn.promise;
      await world.complete(task);
    });
    const startMs = world.clock.now();
    await world.schedule('a');
    await world.start();
    const broken = world.breakStore();
    goOn.resolve();
    await world.settle();
    expect(world.logged).toContain('task_not_retried');
    broken.mend();
    await world.clock.advance(30_000);
    expect(attempts).toEqual([0, 24_000]);
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
