import { expect, test } from 'vitest';
import { heartbeat } from '../../../src/engine/runtime/clock.ts';

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
