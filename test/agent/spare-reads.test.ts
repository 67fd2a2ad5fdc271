import { expect, test } from 'vitest';
import { readQuota } from '../../src/agent/read-quota.ts';
import { onSqlite } from '../engine/support/test-store.ts';

const READS_PER_MINUTE = 60;
const MINUTE_MS = 60_000;
const STEP_MS = 25;
const START_MS = Date.UTC(2026, 0, 1);

/** Ended jobs want reads all the time, open ones for so many in a second: how many get them in four minutes. */
async function readsWith(openPerSecond: number, readsPerMinute = READS_PER_MINUTE) {
  const { store } = await onSqlite();
  const rations = {
    open: readQuota(readsPerMinute, { isOfEnded: false }),
    ended: readQuota(readsPerMinute, { isOfEnded: true }),
  };
  const times: number[] = [];
  const reads = { open: 0, ended: 0 };
  const againAtMs = { open: 0, ended: 0 };
  let waiting = 0;
  let [waitsSinceMs, longestWaitMs] = [START_MS, 0];
  for (let nowMs = START_MS; nowMs < START_MS + 4 * MINUTE_MS; nowMs += STEP_MS) {
    waiting += (openPerSecond * STEP_MS) / 1000;
    const take = async (of: 'open' | 'ended', wanted: number) => {
      if (wanted === 0 || nowMs < againAtMs[of]) return 0;
      const granted = await store.transaction((tx) =>
        rations[of].take(tx, new Map([['docs/', wanted]]), nowMs),
      );
      const { count = 0, againAtMs: atMs = 0 } = granted.get('docs/') ?? {};
      if (count < wanted) expect(atMs).toBeGreaterThan(nowMs);
      againAtMs[of] = count < wanted ? atMs : 0;
      reads[of] += count;
      times.push(...Array<number>(count).fill(nowMs));
      return count;
    };
    // As is hardest for the ended ones.
    waiting -= await take('open', Math.floor(waiting));
    if (waiting < 1) waitsSinceMs = nowMs;
    longestWaitMs = Math.max(longestWaitMs, nowMs - waitsSinceMs);
    await take('ended', 8);
  }
  const inAnyMinute = times.map((from) => times.filter((at) => at >= from && at < from + MINUTE_MS).length);
  return { ...reads, mostInAMinute: Math.max(...inAnyMinute), longestWaitMs };
}

test('jobs that have ended get the reads that open jobs leave over, and keep none of them waiting for more than one read', async () => {
  const { open, ended, mostInAMinute, longestWaitMs } = await readsWith(0.5);
  expect(open).toBeGreaterThan(118);
  expect(longestWaitMs).toBeLessThan(1_100);
  expect(ended).toBeGreaterThan(80);
  expect(mostInAMinute).toBeLessThanOrEqual(READS_PER_MINUTE);
});

test.each([6, 10, 19, 60, 600])(
  'a twentieth of %i a minute is theirs, if the open jobs would use all',
  async (readsPerMinute) => {
    const { open, ended, mostInAMinute } = await readsWith(readsPerMinute / 15, readsPerMinute);
    expect(ended).toBeGreaterThanOrEqual(readsPerMinute * 0.15);
    expect(ended).toBeLessThanOrEqual(readsPerMinute * 0.3 + 1);
    expect(open).toBeGreaterThan(readsPerMinute * 3.5);
    expect(mostInAMinute).toBeLessThanOrEqual(readsPerMinute);
  },
);

test.each([1, 10, 19, 60])(
  'all of %i a minute are theirs, if there are no open jobs',
  async (readsPerMinute) => {
    const { ended, mostInAMinute } = await readsWith(0, readsPerMinute);
    expect(ended).toBeGreaterThanOrEqual(readsPerMinute * 2);
    expect(mostInAMinute).toBeLessThanOrEqual(readsPerMinute);
  },
);
