import { describe, expect, test } from 'vitest';
import { storeWatchedJobs } from '../support/watched-jobs.ts';
import type { LoopWorld } from './support/a-loop.ts';
import { aLoop } from './support/worker.ts';

describe('a loop', () => {
  test('has many tasks in hand, as many as it may, and takes the next when one is done', async () => {
    const { worker, world } = await aLoop({ slots: 3 });
    const subjects = ['a', 'b', 'c', 'd', 'e'];
    worker.delay(...subjects);
    for (const [index, subject] of subjects.entries()) await world.schedule(subject, index - 10);
    await world.start();
    expect(worker.taken).toEqual(['a', 'b', 'c']);
    worker.finish('b');
    await world.settle();
    expect(worker.taken).toEqual(['a', 'b', 'c', 'd']);
    for (const subject of subjects) worker.finish(subject);
    await world.settle();
    expect(worker.done.toSorted()).toEqual(subjects);
  });

  test('takes the next of a full group at once, even if the one before ended while it looked', async () => {
    const { worker, world } = await aLoop({ slots: 2 });
    await storeWatchedJobs(world.store, { jobs: 2, projectIds: ['docs'], dueAtMs: world.clock.now });
    worker.delay('job-0');
    world.holdAfter('claim').release();
    const secondLook = world.holdAfter('claim');
    world.loop.start();
    await secondLook.reached;
    expect(worker.taken).toEqual(['job-0']);
    worker.finish('job-0');
    await world.settle();
    secondLook.release();
    await world.settle();
    expect(worker.taken).toEqual(['job-0', 'job-1']);
  });

  test('takes a task when it falls due, not before', async () => {
    const { worker, world } = await aLoop();
    await world.schedule('soon', 300);
    await world.schedule('later', 45_000);
    world.loop.start();
    await world.clock.advance(299);
    expect(worker.done).toEqual([]);
    await world.clock.advance(1);
    expect(worker.done).toEqual(['soon']);
    await world.clock.advance(44_699);
    expect(worker.done).toEqual(['soon']);
    await world.clock.advance(1);
    expect(worker.done).toEqual(['soon', 'later']);
  });

  test('finds within a second what another process scheduled', async () => {
    const { worker, world } = await aLoop();
    await world.start();
    await world.schedule('from elsewhere');
    await world.clock.advance(1_000);
    expect(worker.done).toEqual(['from elsewhere']);
  });
});

describe('a loop that is notified', () => {
  const scheduleAndNotify = async (world: LoopWorld) => {
    await world.schedule('a');
    world.loop.notify(new Map([['check_job', world.clock.now()]]));
  };

  test('while it sleeps looks at once', async () => {
    const { worker, world } = await aLoop();
    await world.start();
    await scheduleAndNotify(world);
    await world.settle();
    expect(worker.done).toEqual(['a']);
  });

  for (const [moment, call, due] of [
    ['looks for what is due', 'firstFreeMs', []],
    ['claims', 'claim', ['before']],
  ] as const) {
    test(`while it ${moment} does not sleep over it`, async () => {
      const { worker, world } = await aLoop({ due });
      const hold = world.holdAfter(call);
      world.loop.start();
      await hold.reached;
      await scheduleAndNotify(world);
      hold.release();
      await world.settle();
      expect(worker.done).toEqual([...due, 'a']);
    });
  }
});

describe('a stop', () => {
  test('waits for what is in hand, and takes nothing more', async () => {
    const { worker, world } = await aLoop({ due: ['a', 'b'] });
    worker.delay('a', 'b');
    await world.start();
    let isStopped = false;
    const stopped = world.loop.stop().then(() => {
      isStopped = true;
    });
    await world.schedule('c');
    world.loop.notify(new Map([['check_job', world.clock.now()]]));
    worker.finish('a');
    await world.clock.advance(5_000);
    expect(isStopped).toBe(false);
    worker.finish('b');
    await stopped;
    expect(worker.done).toEqual(['a', 'b']);
    await world.clock.advance(5_000);
    expect(worker.taken).toEqual(['a', 'b']);
    expect(await world.claimElsewhere(world.clock.now())).toMatchObject([{ subject: 'c' }]);
  });
});

describe('while requests are in hand', () => {
  test('a loop takes up one task after the other, even if none is done; and many at once when they are', async () => {
    const subjects = ['a', 'b', 'c', 'd', 'e'];
    const { worker, world } = await aLoop({ due: subjects });
    worker.delay(...subjects);
    world.requestsInFlight = 3;
    const first = world.holdAfter('claim');
    world.loop.start();
    await first.reached;
    const second = world.holdAfter('claim');
    first.release();
    await second.reached;
    expect(worker.taken).toHaveLength(1);
    const third = world.holdAfter('claim');
    second.release();
    await third.reached;
    expect(worker.taken).toHaveLength(2);
    world.requestsInFlight = 0;
    third.release();
    await expect
      .poll(() => worker.taken.length, { message: 'the other tasks, together' })
      .toBe(subjects.length);
  });
});
