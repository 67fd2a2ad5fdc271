import { inspect } from 'node:util';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { StoreError } from '../../src/store/engines/database.ts';
import { openStore } from '../../src/store/open.ts';
import type { Store, Transaction } from '../../src/store/store.ts';
import { aDecision, aJob, NOW_MS } from '../contract/store/samples.ts';
import { storeContract } from '../contract/store-contract.ts';
import { createTestDatabase, type TestDatabase, testServerUrl } from '../support/postgres.ts';

if (testServerUrl === undefined) {
  describe.skip('the store on Postgres (skipped: to run it, set TEST_DATABASE_URL=postgres://user@host:5432/postgres)', () => {
    test('does what every store does', () => {});
  });
} else {
  postgresSuite(testServerUrl);
}

function postgresSuite(serverUrl: string): void {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createTestDatabase(serverUrl);
  });
  afterAll(() => database.drop());

  async function openEmpty(): Promise<Store> {
    const store = await openStore({ databaseUrl: database.url });
    await database.empty();
    return store;
  }

  /** Until the end of the test. */
  async function openOne(): Promise<Store> {
    const store = await openEmpty();
    onTestFinished(() => store.close());
    return store;
  }

  async function openReplicas(): Promise<[Store, Store]> {
    const stores: [Store, Store] = [await openOne(), await openStore({ databaseUrl: database.url })];
    onTestFinished(() => stores[1].close());
    return stores;
  }

  storeContract('the store on Postgres', openEmpty);

  describe('replicas on one Postgres', () => {
    const kinds = ['check_job'] as const;
    const write = (tx: Transaction, subject: string) =>
      tx.tasks.schedule({ kind: 'check_job', subject, runAtMs: NOW_MS, ifScheduled: 'replace' });
    const schedule = (store: Store, subject: string) => store.transaction((tx) => write(tx, subject));
    const claim = (store: Store, nowMs: number, limit = 10) =>
      store.transaction((tx) =>
        tx.tasks.claim({ kinds, nowMs, leaseNowMs: nowMs, leaseUntilMs: nowMs + 1_000, inFlight: [], limit }),
      );

    const inHand = async (store: Store) => {
      await schedule(store, 'job-1');
      const [task] = await claim(store, NOW_MS);
      if (task === undefined) throw new Error('a task is due');
      return task;
    };

    const waiters = () =>
      database.query(
        `select wait_event_type from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      );

    test('never claim the same task', async () => {
      const stores = await openReplicas();
      for (let index = 0; index < 60; index += 1) await schedule(stores[0], `job-${index}`);
      const claims = await Promise.all(
        Array.from({ length: 20 }, (_, index) => claim(stores[index % 2 === 0 ? 0 : 1], NOW_MS, 3)),
      );
      const claimed = claims.flat().map((task) => task.subject);
      expect(claimed.length).toBeGreaterThan(0);
      expect(new Set(claimed).size).toBe(claimed.length);
      expect(claimed.length + (await claim(stores[0], NOW_MS, 100)).length).toBe(60);
    });

    test('schedule a task of a job that another deletes: it is a task without a job then', async () => {
      const [first, second] = await openReplicas();
      const job = aJob({ stage: { kind: 'ended', status: 'completed', sinceMs: 0 } });
      await first.transaction((tx) => tx.write(aDecision({ job }), NOW_MS));
      const scheduled = await first.transaction(async (tx) => {
        expect(await tx.retention.pruneJobs(NOW_MS + 1, 10, NOW_MS)).toBe(1);
        const scheduling = schedule(second, job.id);
        await expect.poll(waiters).toEqual([{ wait_event_type: 'Lock' }]);
        return { scheduling };
      });
      await scheduled.scheduling;
      expect(await claim(second, NOW_MS)).toHaveLength(1);
    });

    test('cannot take over a task while its holder commits', async () => {
      const [holder, other] = await openReplicas();
      const task = await inHand(holder);
      await holder.transaction(async (tx) => {
        await tx.tasks.fence(task.lease);
        expect(await claim(other, NOW_MS + 5_000)).toEqual([]);
        await tx.tasks.complete(task.lease);
      });
      expect(await claim(other, NOW_MS + 5_000)).toEqual([]);
    });

    test('that wait for each other’s jobs both get through', async () => {
      const [first, second] = await openReplicas();
      const jobs = [aJob({ id: 'job-a' }), aJob({ id: 'job-b', channelId: 'C2' })];
      for (const job of jobs) await first.transaction((tx) => tx.write(aDecision({ job }), NOW_MS));
      let runs = 0;
      const locked = { 'job-a': Promise.withResolvers<void>(), 'job-b': Promise.withResolvers<void>() };
      const lockBoth = (store: Store, mine: 'job-a' | 'job-b', theirs: 'job-a' | 'job-b') =>
        store.transaction(async (tx) => {
          runs += 1;
          await tx.jobs.lock(mine);
          locked[mine].resolve();
          await locked[theirs].promise;
          const state = await tx.jobs.lock(theirs);
          if (state === null) throw new Error('the job is stored');
          await tx.write(aDecision({ job: { ...state.job, posts: state.job.posts + 1 } }), NOW_MS);
        });
      await Promise.all([lockBoth(first, 'job-a', 'job-b'), lockBoth(second, 'job-b', 'job-a')]);
      // Which one Postgres ends, and whether both meet again, is up to it.
      expect(runs).toBeGreaterThanOrEqual(3);
      for (const { id } of jobs) {
        expect((await first.transaction((tx) => tx.jobs.get(id)))?.posts).toBe(1);
      }
    });
  });

  test('on a database with `repeatable read` by default, of several at the same time each sees those before', async () => {
    const strict = await createTestDatabase(serverUrl);
    onTestFinished(() => strict.drop());
    const name = new URL(strict.url).pathname.slice(1);
    await strict.query(`alter database ${name} set default_transaction_isolation = 'repeatable read'`);
    const store = await openStore({ databaseUrl: strict.url });
    onTestFinished(() => store.close());
    const watch = (id: string) =>
      store.transaction(async (tx) => {
        const before = await tx.jobs.ofAgentJob('T1', 'docs', 'agent-1');
        await tx.write(
          aDecision({ job: aJob({ id, threadTs: null, watchedAgentJobId: 'agent-1' }) }),
          NOW_MS,
        );
        return before.length;
      });
    const seen = await Promise.all(['a', 'b', 'c', 'd', 'e'].map(watch));
    expect(seen.sort()).toEqual([0, 1, 2, 3, 4]);
  });

  describe('a Postgres that fails', () => {
    const breakConnections = () =>
      database.query(
        'select pg_terminate_backend(pid) from pg_stat_activity ' +
          'where datname = current_database() and pid <> pg_backend_pid()',
      );

    test('in the middle of a transaction undoes it, and the next one works', async () => {
      const store = await openOne();
      const failing = store.transaction(async (tx) => {
        await tx.inboundRequests.remember(['event:1'], NOW_MS);
        await breakConnections();
        await tx.inboundRequests.remember(['event:2'], NOW_MS);
      });
      await expect(failing).rejects.toThrow(StoreError);
      expect(await store.transaction((tx) => tx.inboundRequests.remember(['event:1'], NOW_MS))).toBe(true);
    });

    test('because the database does not exist is reported, with what to do', async () => {
      const url = new URL(serverUrl);
      url.pathname = '/no_such_database';
      await expect(openStore({ databaseUrl: url.href })).rejects.toThrow(/Create the database.*DATABASE_URL/);
    });

    test('does not put prompts into errors', async () => {
      const store = await openOne();
      const write = (id: string) =>
        store.transaction((tx) => tx.write(aDecision({ job: aJob({ id, prompt: 'top secret' }) }), NOW_MS));
      await write('job-1');
      const error: unknown = await write('job-2').catch((reason: unknown) => reason);
      expect(inspect(error, { depth: null })).toContain('job_thread');
      expect(inspect(error, { depth: null })).not.toMatch(/top secret|C1/);
    });
  });
}
