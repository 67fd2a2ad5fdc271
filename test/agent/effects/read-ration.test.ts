import { expect, test } from 'vitest';
import { ReadRation } from '../../../src/agent/effects/read-ration.ts';
import { openStore } from '../../../src/store/open.ts';
import type { Store } from '../../../src/store/store.ts';
import { describeOnDatabases } from '../../support/databases.ts';

const HOUR_MS = 3_600_000;

describeOnDatabases('the reads of a project', (makeEmpty) => {
  test('are given out when a clock was set back, and not when it is 20 s behind', async () => {
    const place = await makeEmpty();
    const store = await openStore(place.location);
    const ration = new ReadRation(600);
    const nowMs = Date.now();
    const takeAt = (atMs: number) =>
      store.transaction(
        async (tx) => (await ration.take(tx, new Map([['docs/', 1_000]]), atMs)).get('docs/')?.count,
      );
    expect(await takeAt(nowMs)).toBe(60);
    expect(await takeAt(nowMs - 20_000)).toBe(0);
    expect(await takeAt(nowMs - HOUR_MS)).toBe(60);
    await store.close();
    await place.remove();
  });

  test('are given out once, also to replicas that ask at the same moment', async () => {
    const place = await makeEmpty();
    const replicas = 'databaseUrl' in place.location ? 4 : 1;
    const stores = await Promise.all(Array.from({ length: replicas }, () => openStore(place.location)));
    const ration = new ReadRation(600);
    const nowMs = Date.now();
    const takeOf = (store: Store) =>
      store.transaction(async (tx) => (await ration.take(tx, new Map([['docs/', 7]]), nowMs)).get('docs/'));
    const granted = await Promise.all([...stores, ...stores, ...stores, ...stores].map(takeOf));
    const given = granted.reduce((sum, taken) => sum + (taken?.count ?? 0), 0);
    expect(given).toBe(Math.min(60, 7 * granted.length));
    for (const store of stores) await store.close();
    await place.remove();
  });
});
