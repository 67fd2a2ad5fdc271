import { afterEach, beforeEach, expect, test } from 'vitest';
import { Reports } from '../../src/features/reports/queries.ts';
import { forget } from '../../src/store/forget.ts';
import { openStore, type StoreLocation } from '../../src/store/open.ts';
import type { Transaction } from '../../src/store/store.ts';
import { describeOnDatabases } from '../support/databases.ts';

const NOW_MS = 1_700_000_000_000;
const press = {
  ...{ atMs: NOW_MS, teamId: 'T1', action: 'press' as const, source: 'start_again' },
  ...{ jobId: null, outcome: 'accepted' },
};
const sendsTo = (...noticeChannels: string[]) => ({ noticeChannels, followUpMode: 'mentions' as const });

describeOnDatabases('settings, Home tabs and the audit', (make) => {
  let location: StoreLocation;
  let remove: () => Promise<void>;
  beforeEach(async () => {
    ({ location, remove } = await make());
    await run(async (tx) => {
      await tx.channelSettings.replace('T1', 'C1', sendsTo('C1', 'C2'));
      await tx.channelSettings.replace('T1', 'C2', sendsTo('C1', 'C12', 'C3'));
      await tx.homes.opened('T1', 'U1', NOW_MS);
      await tx.homes.opened('T2', 'U1', NOW_MS);
      for (const [id, userId] of Object.entries({ a: 'U1', b: 'U2' }))
        await tx.audit.record({ ...press, userId }, id);
    });
  });
  afterEach(() => remove());

  async function run<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    const store = await openStore(location);
    try {
      return await store.transaction(work);
    } finally {
      await store.close();
    }
  }
  const erase = (kind: 'user' | 'channel', id: string, teamId: string | null = null) =>
    forget(location, { kind, id, teamId }, { dry: false, nowMs: NOW_MS });
  const settings = (channelId: string) => run((tx) => tx.channelSettings.get('T1', channelId));

  test('a Home tab goes with its person, in one workspace if that alone is meant', async () => {
    expect((await erase('user', 'U1', 'T2')).holdings).toMatchObject({ rows: 1 });
    expect((await erase('user', 'U1')).holdings).toMatchObject({ rows: 2 });
    expect((await erase('user', 'U1')).holdings).toMatchObject({ rows: 0 });
  });

  test('a line of the audit goes with its person', async () => {
    await erase('user', 'U1', 'T1');
    const period = { sinceMs: 0, untilMs: NOW_MS + 1 };
    const rows = await run((tx) => tx.queries(Reports).recorded(period));
    expect(rows).toEqual([{ ...press, userId: 'U2' }]);
  });

  test('settings of a channel are deleted, and those of others send it no notices', async () => {
    const { holdings } = await erase('channel', 'C1');
    expect(holdings).toMatchObject({ rows: 2 });
    expect(await settings('C1')).toBeNull();
    expect(await settings('C2')).toEqual(sendsTo('C12', 'C3'));
  });
});
