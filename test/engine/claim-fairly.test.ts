import { expect, onTestFinished, test } from 'vitest';
import { claimFairly, FairSlots } from '../../src/engine/claim-fairly.ts';
import { openStore } from '../../src/store/open.ts';
import { levelsOf } from '../../src/store/store.ts';
import { createTestDatabase, testServerUrl } from '../support/postgres.ts';
import { fc } from '../support/properties.ts';
import { storeWatchedJobs } from '../support/watched-jobs.ts';
import { onSqlite } from './support/test-store.ts';

const JOBS = 100;
const NOW_MS = Date.UTC(2026, 0, 1);

const IS_SHORT = new Map([['other/', NOW_MS + 1]]);

test('no more checks begin than reads are granted, and the group waits until there are reads again', async () => {
  const { store } = await onSqlite();
  await storeWatchedJobs(store, { jobs: JOBS, projectIds: ['docs'], dueAtMs: () => NOW_MS - 1 });
  const againAtMs = NOW_MS + 1_000;
  const quota = { take: async () => new Map([['docs/', { count: 1, againAtMs }]]) };
  const lease = { leaseNowMs: NOW_MS, leaseUntilMs: NOW_MS + 1_000, inFlight: [] };
  const look = { kinds: ['check_job'] as const, nowMs: NOW_MS, ...lease, limit: 2 * JOBS };
  const slots = new FairSlots(3 * JOBS);
  const found = await store.transaction((tx) =>
    claimFairly(tx, { ...look, slots, quota, usedUp: new Map(), isBehind: false }),
  );
  expect(found.tasks).toHaveLength(1);
  expect(found.usedUp).toEqual(new Map([['docs/', againAtMs]]));
});

test.skipIf(testServerUrl === undefined)(
  'what another replica claims just now does not hide the due check of a project behind it',
  async () => {
    const { url, drop } = await createTestDatabase(testServerUrl ?? '');
    onTestFinished(drop);
    const store = await openStore({ databaseUrl: url });
    onTestFinished(() => store.close());
    const projectIds = ['a', 'b', 'c', 'd', 'quiet'];
    let stored = 0;
    const dueAtMs = () => {
      stored += 1;
      return stored % projectIds.length === 0 ? NOW_MS - 1 : NOW_MS - 1_000_000 + stored;
    };
    await storeWatchedJobs(store, { jobs: JOBS, projectIds, dueAtMs });
    const lease = { leaseNowMs: NOW_MS, leaseUntilMs: NOW_MS + 1_000, inFlight: [] };
    const look = { kinds: ['check_job'] as const, nowMs: NOW_MS, ...lease, limit: 2 * JOBS };

    const found = await store.transaction(async (other) => {
      const backlog = await other.tasks.claim({ ...look, skippedGroups: ['quiet/'] });
      expect(backlog).toHaveLength((JOBS / projectIds.length) * 4);
      const slots = new FairSlots(3 * JOBS);
      return store.transaction((tx) =>
        claimFairly(tx, { ...look, slots, quota: null, usedUp: IS_SHORT, isBehind: false }),
      );
    });

    expect(new Set(found.tasks.map(({ group }) => group))).toEqual(new Set(['quiet/']));
  },
);

test('a project with few jobs is not behind the backlogs of many others, where slots are short', async () => {
  const { store } = await onSqlite();
  const atWork = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
  const projectIds = [...atWork, 'x', 'y', 'z', 'quiet'];
  let stored = 0;
  const dueAtMs = () => {
    stored += 1;
    return stored % projectIds.length === 0 ? NOW_MS - 1 : NOW_MS - 1_000_000 + stored;
  };
  await storeWatchedJobs(store, { jobs: JOBS, projectIds, dueAtMs });
  const slots = new FairSlots(12);
  for (const id of atWork) slots.add(`${id}/`);
  const lease = { leaseNowMs: NOW_MS, leaseUntilMs: NOW_MS + 1_000, inFlight: [] };
  const look = { kinds: ['check_job'] as const, nowMs: NOW_MS, ...lease, limit: slots.free, slots };
  const found = await store.transaction((tx) =>
    claimFairly(tx, { ...look, quota: null, usedUp: new Map(), isBehind: true }),
  );
  expect(found.tasks.map(({ group }) => group)).toContain('quiet/');
});

test('whoever gets no slot is among the groups that are left out of the next question, so that no look lasts for ever', () => {
  // Work may be for a whole workspace, for one of its channels, or for a project whose name contains a slash.
  const group = fc.constantFrom('T1/', 'T1/C1/', 'T1/C2/', 'T2/', 'T2/C1/', 'acme/', 'acme/docs/');
  fc.assert(
    fc.property(fc.array(group, { maxLength: 15 }), group, (holders, next) => {
      const slots = new FairSlots(16);
      for (const holder of holders) slots.add(holder);
      if (slots.copy().take(next)) return;
      const full = slots.full();
      expect(levelsOf(next).some((level) => full.includes(level))).toBe(true);
    }),
  );
});
