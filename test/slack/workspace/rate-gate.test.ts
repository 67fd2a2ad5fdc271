import { expect, test } from 'vitest';
import { RateGate } from '../../../src/slack/workspace/poster.ts';

const POST = 'chat.postMessage';

test('a post that met a limit holds up the posts of its channel, and of no other', () => {
  const gate = new RateGate();
  gate.waitMs(POST, 'C1', 0, 30_000);
  expect(gate.waitMs(POST, 'C1', 10_000)).toBeGreaterThanOrEqual(20_000);
  expect(gate.waitMs(POST, 'C2', 10_000)).toBe(0);
  expect(gate.waitMs('chat.update', 'C1', 10_000)).toBe(0);
});

test('any other method that met a limit is held up in all channels', () => {
  const gate = new RateGate();
  gate.waitMs('chat.update', 'C1', 0, 30_000);
  expect(gate.waitMs('chat.update', 'C2', 0)).toBeGreaterThanOrEqual(30_000);
  expect(gate.waitMs('reactions.add', 'C1', 0)).toBe(0);
});

test('those who wait come back one by one, after the one that met the limit', () => {
  const gate = new RateGate();
  gate.waitMs(POST, 'C1', 0, 30_000);
  expect([1, 2, 3].map(() => gate.waitMs(POST, 'C1', 0))).toEqual([31_000, 32_000, 33_000]);
});

test('calls that met the limit together come back one by one, too', () => {
  const gate = new RateGate();
  const waits = [1, 2, 3].map(() => gate.waitMs('reactions.remove', 'C1', 0, 3_000));
  expect(waits).toEqual([3_000, 4_200, 5_400]);
});
