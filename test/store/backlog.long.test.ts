import { expect, test } from 'vitest';
import { openStore } from '../../src/store/open.ts';
import type { ClaimedTask } from '../../src/store/store.ts';
import { emptyPlaces } from '../support/databases.ts';
import { storeWatchedJobs } from '../support/watched-jobs.ts';

const TRIES = 15;
const FEW = 400;
const MANY = 20_000;
/** A walk through all that is due would be some fifty times as long. */
const MUCH_LONGER = 12;

for (const [index, emptyPlace] of emptyPlaces.entries()) {
  test(`a claim passes over the backlog of a project that has its share, however long it is (${index === 0 ? 'SQLite' : 'Postgres'})`, {
    timeout: 300_000,
  }, async () => {
    const timeWith = async (jobs: number) => {
      const place = await emptyPlace();
      const store = await openStore(place.location);
      const nowMs = Date.now();
      let stored = 0;
      await storeWatchedJobs(store, {
        jobs,
        projectIds: [...Array.from({ length: 99 }, () => 'slow'), 'docs'],
        dueAtMs: () => {
          stored += 1;
          return stored % 100 === 0 ? nowMs : nowMs - 60_000;
        },
      });
      const times: number[] = [];
      for (let tried = 0; tried < TRIES; tried += 1) {
        const startedAtMs = performance.now();
        const found = new Set<string>();
        await store.transaction(async (tx) => {
          const leaseNowMs = await tx.tasks.leaseNowMs();
          const lease = { leaseNowMs, leaseUntilMs: leaseNowMs + 1, inFlight: [] };
          // Nothing is written: to wait for the disk would take longer than all else.
          const admit = async (due: readonly ClaimedTask[]) => {
            for (const { group } of due) found.add(group);
            return [];
          };
          await tx.tasks.claim({
            kinds: ['check_job'],
            nowMs,
            ...lease,
            limit: 4,
            skippedGroups: ['slow/'],
            admit,
          });
          await tx.tasks.nextDueAtMs(['check_job'], ['slow/']);
        });
        times.push(performance.now() - startedAtMs);
        expect([...found]).toEqual(['docs/']);
      }
      await store.close();
      await place.remove();
      return times.sort((a, b) => a - b)[Math.floor(TRIES / 2)] ?? 0;
    };
    const few = await timeWith(FEW);
    expect(await timeWith(MANY)).toBeLessThan(few * MUCH_LONGER);
  });
}
