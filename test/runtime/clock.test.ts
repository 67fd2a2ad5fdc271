import { describe, expect, test } from 'vitest';
import { heartbeat, systemClock } from '../../src/runtime/clock.ts';
import { createTestClock } from '../support/test-clock.ts';

const HOUR_MS = 3_600_000;

/** When the process beats, and since when it is awake then, in seconds. */
function awakeSince(...beatsAt: readonly number[]): number[] {
  let nowMs = HOUR_MS;
  const beat = heartbeat(() => nowMs);
  return beatsAt.map((seconds) => {
    nowMs = HOUR_MS + seconds * 1_000;
    return (beat() - HOUR_MS) / 1_000;
  });
}

test('a process that is a bit busy has been awake since its start', () => {
  expect(awakeSince(1, 2, 4.9, 5, 7)).toEqual([0, 0, 0, 0, 0]);
});

test('a process that slept, or whose clock was changed, has been awake since then', () => {
  expect(awakeSince(1, 600, 601, 602)).toEqual([0, 600, 600, 600]);
  expect(awakeSince(1, -600, -599)).toEqual([0, -600, -600]);
});

function timers(): number {
  return process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
}

const work: [string, () => Promise<string>][] = [
  ['done', async () => 'done'],
  ['failed', () => Promise.reject(new Error('failed'))],
];

describe('a timeout', () => {
  test('gives what comes in time, and what was given for it later', async () => {
    const clock = createTestClock(0);
    const [soon, late] = [clock.sleep(10).then(() => 'there'), clock.sleep(11).then(() => 'there')];
    const outcomes = Promise.all([clock.timeout(10, soon, 'late'), clock.timeout(10, late, 'late')]);
    await clock.advance(20);
    expect(await outcomes).toEqual(['there', 'late']);
  });

  test.each(work)('leaves no timer behind work that is %s before', async (how, begin) => {
    const before = timers();
    const outcome = systemClock.timeout(HOUR_MS, begin(), 'late').catch((error: Error) => error.message);
    expect(timers()).toBe(before + 1);
    expect(await outcome).toBe(how);
    expect(timers()).toBe(before);
  });
});

describe('a signal for work', () => {
  test.each(work)('leaves no timer behind work that is %s before', async (how, begin) => {
    const before = timers();
    const outcome = systemClock
      .abortAfter(HOUR_MS, (signal) => {
        expect(timers()).toBe(before + 1);
        expect(signal.aborted).toBe(false);
        return begin();
      })
      .catch((error: Error) => error.message);
    expect(await outcome).toBe(how);
    expect(timers()).toBe(before);
  });

  test('is aborted when the time is over, and what comes of the work then still counts', async () => {
    const outcome = systemClock.abortAfter(1, async (signal) => {
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      return (signal.reason as Error).name;
    });
    expect(await outcome).toBe('TimeoutError');
  });
});
