import { expect, test } from 'vitest';
import { withDeadline } from '../../../src/agent/client/deadline.ts';

const LONG_MS = 60_000;

function timers(): number {
  return process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
}

test.each<[string, () => Promise<string>]>([
  ['done', async () => 'done'],
  ['failed', () => Promise.reject(new Error('failed'))],
])('work that is %s before its deadline leaves no timer behind', async (how, work) => {
  const before = timers();
  const outcome = withDeadline(LONG_MS, (signal) => {
    expect(timers()).toBe(before + 1);
    expect(signal.aborted).toBe(false);
    return work();
  }).catch((error: Error) => error.message);
  expect(await outcome).toBe(how);
  expect(timers()).toBe(before);
});

test('at the deadline the work is told so, and what comes of it then still counts', async () => {
  const outcome = withDeadline(1, async (signal) => {
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
    return (signal.reason as Error).name;
  });
  expect(await outcome).toBe('TimeoutError');
});
