import { expect, test } from 'vitest';
import { ReadQuota, SpareReads } from '../../../src/agent/effects/read-quota.ts';
import { onSqlite } from '../../engine/support/test-store.ts';

const READS_PER_MINUTE = 60;
const MINUTE_MS = 60_000;
const START_MS = Date.UTC(2026, 0, 1);

/** Ended jobs ask for reads all the time, open ones for so many in a second: how many get them in two minutes. */
async function readsWith(openPerSecond: number, readsPerMinute = READS_PER_MINUTE) {
  const { store } = await onSqlite();
  const rations = { open: new ReadQuota(readsPerMinute), ended: new SpareReads(readsPerMinute) };
  const times: number[] = [];
  const reads = { open: 0, ended: 0 };
  let waiting = 0;
  for (let nowMs = START_MS; nowMs < START_MS + 2 * MINUTE_MS; nowMs += 250) {
    waiting += openPerSecond / 4;
    const take = async (of: 'open' | 'ended', wanted: number) => {
      const granted = await store.transaction((tx) =>
        rations[of].take(tx, new Map([['docs/', wanted]]), nowMs),
      );
      const { count = 0, againAtMs = 0 } = granted.get('docs/') ?? {};
      if (count < wanted) expect(againAtMs).toBeGreaterThan(nowMs);
      reads[of] += count;
      times.push(...Array<number>(count).fill(nowMs));
      return count;
    };
    await take('ended', 8);
    if (waiting >= 1) waiting -= await take('open', Math.floor(waiting));
  }
  const inAnyMinute = times.map((from) => times.filter((at) => at >= from && at < from + MINUTE_MS).length);
  return { ...reads, mostInAMinute: Math.max(...inAnyMinute), stillWaiting: waiting };
}

test('jobs that have ended get the reads that open jobs leave over, and do not keep them waiting', async () => {
  const { open, ended, mostInAMinute, stillWaiting } = await readsWith(0.5);
  expect(open).toBe(60);
  expect(stillWaiting).toBeLessThan(1);
  expect(ended).toBeGreaterThan(30);
  expect(mostInAMinute).toBeLessThanOrEqual(READS_PER_MINUTE);
});

test('a twentieth is theirs, if the open jobs would use all', async () => {
  const { open, ended, mostInAMinute } = await readsWith(4);
  expect(ended).toBeGreaterThanOrEqual(3);
  expect(ended).toBeLessThanOrEqual(12);
  expect(open).toBeGreaterThan(90);
  expect(mostInAMinute).toBeLessThanOrEqual(READS_PER_MINUTE);
});

test.each([1, 10, 19])(
  'of %i a minute, where one may be used at once, they take no more from open jobs than that',
  async (readsPerMinute) => {
    const all = await readsWith(4, readsPerMinute);
    expect(all.open).toBeGreaterThanOrEqual(Math.floor(1.8 * readsPerMinute));
    const none = await readsWith(0, readsPerMinute);
    expect(none.ended).toBeGreaterThanOrEqual(readsPerMinute);
    expect(none.mostInAMinute).toBeLessThanOrEqual(readsPerMinute);
  },
);
