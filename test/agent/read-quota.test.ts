import { expect, test } from 'vitest';
import { readQuota } from '../../src/agent/read-quota.ts';
import { openStore } from '../../src/store/open.ts';
import type { Store } from '../../src/store/store.ts';
import { describeOnDatabases } from '../support/databases.ts';

/** Each twentieth second is the turn of ended jobs. */
const A_TURN_OF_OPEN_JOBS_MS = 1_767_225_605_000;

const HOUR_MS = 3_600_000;

describeOnDatabases('the reads of a project', (makeEmpty) => {
  test('are given out when a clock was set back, and not when it is 20 s behind', async () => {
    const place = await makeEmpty();
    const store = await openStore(place.location);
    const quota = readQuota(600, { isOfEnded: false });
    const nowMs = A_TURN_OF_OPEN_JOBS_MS;
    const takeAt = (atMs: number) =>
      store.transaction(
        async (tx) => (await quota.take(tx, new Map([['docs/', 1_000]]), atMs)).get('docs/')?.count,
      );
    expect(await takeAt(nowMs)).toBe(30);
    expect(await takeAt(nowMs - 20_000)).toBe(0);
    expect(await takeAt(nowMs - HOUR_MS)).toBe(30);
    await store.close();
    await place.remove();
  });

  test('are given out once, also to replicas that ask at the same moment', async () => {
    const place = await makeEmpty();
    const replicas = 'databaseUrl' in place.location ? 4 : 1;
    const stores = await Promise.all(Array.from({ length: replicas }, () => openStore(place.location)));
    const quota = readQuota(600, { isOfEnded: false });
    const nowMs = A_TURN_OF_OPEN_JOBS_MS;
    const takeOf = (store: Store) =>
      store.transaction(async (tx) => (await quota.take(tx, new Map([['docs/', 7]]), nowMs)).get('docs/'));
    const granted = await Promise.all([...stores, ...stores, ...stores, ...stores].map(takeOf));
    const given = granted.reduce((sum, taken) => sum + (taken?.count ?? 0), 0);
    expect(given).toBe(Math.min(30, 7 * granted.length));
    for (const store of stores) await store.close();
    await place.remove();
  });

  test('for a person who waits are made first, and counted', async () => {
    const place = await makeEmpty();
    const store = await openStore(place.location);
    const quota = readQuota(600, { isOfEnded: false });
    const nowMs = A_TURN_OF_OPEN_JOBS_MS;
    const left = (atMs: number) =>
      store.transaction(
        async (tx) => (await quota.take(tx, new Map([['docs/', 1_000]]), atMs)).get('docs/')?.count,
      );
    const first = (atMs: number) => store.transaction((tx) => quota.takeFirst(tx, 'docs', atMs));
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
    await store.close();
    await place.remove();
  });

  test('for a person who waits are not made while the agent wants none, which the store tells', async () => {
    const place = await makeEmpty();
    const store = await openStore(place.location);
    const quota = readQuota(600, { isOfEnded: false });
    const nowMs = A_TURN_OF_OPEN_JOBS_MS;
    const paused = { atMs: nowMs, share: 0.5, untilMs: nowMs + 20_000 };
    await store.transaction((tx) => tx.readBudget.slowDown('docs', () => paused, nowMs));
    const first = (atMs: number) => store.transaction((tx) => quota.takeFirst(tx, 'docs', atMs));
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
    await store.close();
    await place.remove();
  });
});
