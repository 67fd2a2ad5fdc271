import { expect, onTestFinished, test } from 'vitest';
import { claimFairly, FairSlots, type Quota } from '../../src/engine/claim-fairly.ts';
import { openStore } from '../../src/store/open.ts';
import { levelsOf } from '../../src/store/store.ts';
import { createTestDatabase, testServerUrl } from '../support/postgres.ts';
import { fc } from '../support/properties.ts';
import { storeWatchedJobs } from '../support/watched-jobs.ts';
import { onSqlite } from './support/test-store.ts';

const JOBS = 100;
const NOW_MS = Date.UTC(2026, 0, 1);

/** Gives so many, and notes how many were asked for. */
function quotaOf(left: number) {
  const asked: number[] = [];
  const quota: Quota = {
    take: async (_tx, wanted, nowMs) => {
      let given = 0;
      const granted = new Map(
        [...wanted].map(([group, count]) => {
          given = Math.min(count, left);
          return [group, { count: given, againAtMs: nowMs + 1_000 }] as const;
        }),
      );
      asked.push([...wanted.values()].reduce((sum, count) => sum + count, 0));
      left -= given;
      return granted;
    },
  };
  return { quota, asked };
}

async function claimed(left: number, usedUp: ReadonlyMap<string, number>) {
  const { store } = await onSqlite();
  await storeWatchedJobs(store, { jobs: JOBS, projectIds: ['docs'], dueAtMs: () => NOW_MS - 1 });
  const { quota, asked } = quotaOf(left);
  const found = await store.transaction((tx) =>
    claimFairly(tx, {
      kinds: ['check_job'],
      nowMs: NOW_MS,
      leaseNowMs: NOW_MS,
      leaseUntilMs: NOW_MS + 1_000,
      inFlight: [],
      limit: 2 * JOBS,
      slots: new FairSlots(3 * JOBS),
      quota,
      usedUp,
      isBehind: false,
    }),
  );
  return { tasks: found.tasks.length, asked };
}

const WAS_SHORT = new Map([['docs/', NOW_MS - 1]]);
const IS_SHORT = new Map([['other/', NOW_MS + 1]]);

test('where reads were short, many due checks are not taken up and put back for the few that may begin', async () => {
  const { tasks, asked } = await claimed(1, WAS_SHORT);
  expect(tasks).toBe(1);
  expect(Math.max(...asked)).toBeLessThan(10);
});

test('where reads were short and there are enough again, all due checks begin at once', async () => {
  expect((await claimed(JOBS, WAS_SHORT)).tasks).toBe(JOBS);
});

test('where reads were never short, all due checks are asked for together', async () => {
  const { tasks, asked } = await claimed(JOBS, new Map());
  expect(tasks).toBe(JOBS);
  expect(asked).toEqual([JOBS]);
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
