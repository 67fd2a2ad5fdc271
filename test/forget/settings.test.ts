import { afterEach, beforeEach, expect, test } from 'vitest';
import { Reports } from '../../src/features/reports/queries.ts';
import { forget } from '../../src/store/forget.ts';
import { openStore, type StoreLocation } from '../../src/store/open.ts';
import type { Transaction } from '../../src/store/store.ts';
import { describeOnDatabases } from '../support/databases.ts';

const NOW_MS = 1_700_000_000_000;
const token = { keyId: 'k1', botToken: 'sealed-1' };
const installedBy = (id: string, installerId: string) => ({
  id,
  isOrganisation: false,
  enterpriseId: null,
  botUserId: 'U0BOT',
  botId: 'B0BOT',
  workspaceUrl: null,
  scopes: ['commands'],
  installerId,
  installedAtMs: NOW_MS,
});
const press = {
  ...{ atMs: NOW_MS, teamId: 'T1', action: 'press' as const, source: 'start_again' },
  ...{ jobId: null, outcome: 'accepted' },
};
const savedBy = (changedBy: string, noticeChannels: string[]) => ({
  settings: { noticeChannels, followUpMode: 'mentions' as const },
  changedBy,
  changedAtMs: NOW_MS,
});

describeOnDatabases('what is set and installed', (make) => {
  let location: StoreLocation;
  let remove: () => Promise<void>;
  beforeEach(async () => {
    ({ location, remove } = await make());
    await run(async (tx) => {
      await tx.installations.put(installedBy('T1', 'U1'), token);
      await tx.installations.put(installedBy('T2', 'U1'), token);
      await tx.installations.put(installedBy('T3', 'U2'), token);
      await tx.channelSettings.replace('T1', 'C1', savedBy('U1', ['C1', 'C2']));
      await tx.channelSettings.replace('T1', 'C2', savedBy('U2', ['C1', 'C12', 'C3']));
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
  const installers = () =>
    run(async (tx) => (await tx.installations.all()).map(({ id, installerId }) => [id, installerId]));
  const settings = (channelId: string) => run((tx) => tx.channelSettings.get('T1', channelId));

  test('loses the name of a person, and stays', async () => {
    const { holdings } = await erase('user', 'U1');
    expect(holdings).toMatchObject({ settings: 3, homes: 2 });
    expect(await installers()).toEqual([
      ['T1', 'forgotten'],
      ['T2', 'forgotten'],
      ['T3', 'U2'],
    ]);
    expect((await run((tx) => tx.installations.get('T1')))?.token).toEqual(token);
    expect(await settings('C1')).toEqual(savedBy('forgotten', ['C1', 'C2']));
    expect(await settings('C2')).toEqual(savedBy('U2', ['C1', 'C12', 'C3']));
    expect((await erase('user', 'U1')).holdings).toMatchObject({ settings: 0, homes: 0 });
  });

  test('loses the name of a person in one workspace, if that alone is meant', async () => {
    const { holdings } = await erase('user', 'U1', 'T2');
    expect(holdings).toMatchObject({ settings: 1, homes: 1 });
    expect(await installers()).toEqual([
      ['T1', 'U1'],
      ['T2', 'forgotten'],
      ['T3', 'U2'],
    ]);
    expect((await settings('C1'))?.changedBy).toBe('U1');
  });

  test('a line of the audit goes with its person', async () => {
    const { holdings } = await erase('user', 'U1', 'T1');
    expect(holdings).toMatchObject({ audit_entries: 1 });
    const period = { sinceMs: 0, untilMs: NOW_MS + 1 };
    const rows = await run((tx) => tx.queries(Reports).recorded(period));
    expect(rows).toEqual([{ ...press, userId: 'U2' }]);
  });

  test('for a channel is deleted, and sends it no notices of others', async () => {
    const { holdings } = await erase('channel', 'C1');
    expect(holdings).toMatchObject({ settings: 2 });
    expect(await settings('C1')).toBeNull();
    expect(await settings('C2')).toEqual(savedBy('U2', ['C12', 'C3']));
  });
});
