import { expect, onTestFinished, test } from 'vitest';
import { readQuota } from '../../src/agent/read-quota.ts';
import { openStore } from '../../src/store/open.ts';
import type { Store } from '../../src/store/store.ts';
import { onSqlite } from '../engine/support/test-store.ts';
import { describeOnDatabases } from '../support/databases.ts';

/** Each twentieth second is the turn of ended jobs. */
const A_TURN_OF_OPEN_JOBS_MS = 1_767_225_605_000;
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** How many of the wanted reads it gives, and when there are more. */
async function take(quota: ReturnType<typeof readQuota>, store: Store, wanted: number, nowMs: number) {
  const granted = await store.transaction((tx) => quota.take(tx, new Map([['docs/', wanted]]), nowMs));
  return granted.get('docs/') ?? { count: 0, againAtMs: 0 };
}

describeOnDatabases('the reads of a project', (makeEmpty) => {
  const nowMs = A_TURN_OF_OPEN_JOBS_MS;
  const quota = readQuota(600, { isOfEnded: false });

  async function open() {
    const place = await makeEmpty();
    const replicas = 'databaseUrl' in place.location ? 4 : 1;
    const stores = await Promise.all(Array.from({ length: replicas }, () => openStore(place.location)));
    onTestFinished(async () => {
      for (const store of stores) await store.close();
      await place.remove();
    });
    const store = stores[0] as Store;
    const left = async (atMs: number) => (await take(quota, store, 1_000, atMs)).count;
    const first = (atMs: number) => store.transaction((tx) => quota.takeFirst(tx, 'docs', atMs));
    return { store, stores, left, first };
  }

  test('are given out when a clock was set back, and not when it is 20 s behind', async () => {
    const { left } = await open();
    expect(await left(nowMs)).toBe(30);
    expect(await left(nowMs - 20_000)).toBe(0);
    expect(await left(nowMs - HOUR_MS)).toBe(30);
  });

  test('are given out once, also to replicas that ask at the same moment', async () => {
    const { stores } = await open();
    const all = [...stores, ...stores, ...stores, ...stores];
    const granted = await Promise.all(all.map((store) => take(quota, store, 7, nowMs)));
    const given = granted.reduce((sum, { count }) => sum + count, 0);
    expect(given).toBe(Math.min(30, 7 * granted.length));
  });

  test('for a person who waits are made first, and counted', async () => {
    const { left, first } = await open();
    expect(await first(nowMs)).toBe(true);
    expect(await left(nowMs)).toBe(29);
    expect(await first(nowMs)).toBe(true);
    // Instead of the next one that is due.
    expect(await left(nowMs + 110)).toBe(0);
    expect(await left(nowMs + 220)).toBe(1);
    const many: boolean[] = [];
    while (many.length < 500)
      many.push(...(await Promise.all(Array.from({ length: 5 }, () => first(nowMs)))));
    expect(many.filter(Boolean).length).toBeLessThan(300);
  });

  test('for a person who waits are not made while the agent wants none, which the store tells', async () => {
    const { store, first } = await open();
    const paused = { atMs: nowMs, share: 0.5, untilMs: nowMs + 20_000 };
    await store.transaction((tx) => tx.readBudget.slowDown('docs', () => paused, nowMs));
    expect(await first(nowMs + 19_000)).toBe(false);
    const pauses = (atMs: number) => store.transaction((tx) => tx.readBudget.paused(atMs));
    const pause = { projectId: 'docs', atMs: nowMs, untilMs: nowMs + 20_000 };
    expect(await pauses(nowMs + 19_000)).toEqual([pause]);
    expect(await pauses(nowMs + 20_000)).toEqual([]);
    // The clock was set back since.
    expect(await pauses(nowMs - HOUR_MS)).toEqual([]);
    expect(await first(nowMs + 20_000)).toBe(true);
    // Only what was asked after it says that the pause is over.
    const end = (askedAtMs: number) =>
      store.transaction((tx) => tx.readBudget.endPause('docs', askedAtMs, nowMs + 10_000));
    expect([await end(nowMs), await end(nowMs + 1), await end(nowMs + 1)]).toEqual([false, true, false]);
    expect(await pauses(nowMs + 10_000)).toEqual([]);
  });
});

/** How many reads open jobs, that want so many in a second, and ended ones, that want all, get in two minutes. */
async function readsWith(openPerSecond: number, readsPerMinute = 60) {
  const { store } = await onSqlite();
  const kinds = {
    open: readQuota(readsPerMinute, { isOfEnded: false }),
    ended: readQuota(readsPerMinute, { isOfEnded: true }),
  };
  const reads = { open: 0, ended: 0 };
  const againAtMs = { open: 0, ended: 0 };
  const startMs = Date.UTC(2026, 0, 1);
  for (let nowMs = startMs; nowMs < startMs + 2 * MINUTE_MS; nowMs += 25) {
    const openWant = Math.floor(((nowMs - startMs) * openPerSecond) / 1_000) - reads.open;
    // As is hardest for the ended ones.
    for (const [of, wanted] of [['open', openWant] as const, ['ended', 8] as const]) {
      if (wanted === 0 || nowMs < againAtMs[of]) continue;
      const granted = await take(kinds[of], store, wanted, nowMs);
      againAtMs[of] = granted.count < wanted ? granted.againAtMs : 0;
      reads[of] += granted.count;
    }
  }
  return reads;
}

test('jobs that have ended get the reads that open jobs leave over, a twentieth if those would use all', async () => {
  const some = await readsWith(0.5);
  expect(some.open).toBeGreaterThan(57);
  expect(some.ended).toBeGreaterThan(40);
  expect(some.open + some.ended).toBeLessThanOrEqual(123);
  const all = await readsWith(4);
  expect(all.ended).toBeGreaterThanOrEqual(4);
  expect(all.ended).toBeLessThanOrEqual(10);
  expect((await readsWith(0)).ended).toBeGreaterThanOrEqual(110);
});
