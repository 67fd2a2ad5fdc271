import { Client } from 'pg';
import { describe, expect, onTestFinished, test } from 'vitest';
import { inspectStore } from '../../src/store/inspect.ts';
import { openStore } from '../../src/store/open.ts';
import type { EndedTransaction, Store } from '../../src/store/store.ts';
import { aDecision, aJob, NOW_MS } from '../contract/store/samples.ts';
import { createLimitedDatabase, createTestDatabase, lockedJob, testServerUrl } from '../support/postgres.ts';
import { waitFor } from '../support/wait-for.ts';

if (testServerUrl === undefined) {
  describe.skip('a Postgres that gives little (skipped: to run it, set TEST_DATABASE_URL=postgres://user@host:5432/postgres)', () => {
    test('is used by all in turn', () => {});
  });
} else {
  limitsSuite(testServerUrl);
}

function limitsSuite(serverUrl: string): void {
  /** A database of a role that may have so many connections. */
  async function limitedDatabase(connections: number): Promise<string> {
    const database = await createLimitedDatabase(serverUrl, connections);
    onTestFinished(() => database.drop());
    return database.url;
  }

  async function storeAt(databaseUrl: string, report?: (ended: EndedTransaction) => void): Promise<Store> {
    const store = await openStore({ databaseUrl }, undefined, report);
    onTestFinished(() => store.close());
    return store;
  }

  async function openedStore(): Promise<{ url: string; store: Store }> {
    const database = await createTestDatabase(serverUrl);
    onTestFinished(() => database.drop());
    return { url: database.url, store: await storeAt(database.url) };
  }

  const write = (store: Store, id: string) =>
    store.transaction((tx) => tx.write(aDecision({ job: aJob({ id, threadTs: `${id}.000100` }) }), NOW_MS));

  describe('a role with few connections', () => {
    test('that other programs have all taken refuses within the time that Slack allows', async () => {
      const url = await limitedDatabase(2);
      const store = await storeAt(url);
      await store.close();
      // The server frees its connections a moment later.
      const connect = async () => {
        const client = new Client(url);
        await client.connect();
        return client;
      };
      const free = () => waitFor(connect, () => true, { what: 'a free connection' });
      const others = [await free(), await free()];
      const startedAtMs = performance.now();
      await expect(openStore({ databaseUrl: url })).rejects.toMatchObject({
        code: '53300',
        isTemporary: true,
      });
      expect(performance.now() - startedAtMs).toBeLessThan(2_600);
      const opening = openStore({ databaseUrl: url });
      await others[0]?.end();
      await (await opening).close();
      await others[1]?.end();
    });

    test('has a request wait for a while, and then says that it is not stored', async () => {
      const store = await storeAt(await limitedDatabase(2));
      const { promise: over, resolve: end } = Promise.withResolvers<void>();
      let begun = 0;
      const working = Array.from({ length: 2 }, () =>
        store.transaction(() => {
          begun += 1;
          return over;
        }),
      );
      await expect.poll(() => begun).toBe(2);
      const startedAtMs = performance.now();
      await expect(write(store, 'job-1')).rejects.toMatchObject({ isTemporary: true, mayBeCommitted: false });
      expect(performance.now() - startedAtMs).toBeLessThan(2_600);
      end();
      await Promise.all(working);
      await write(store, 'job-1');
    });
  });

  test('a server whose disk is full fails transactions that are counted as such', async () => {
    const database = await createTestDatabase(serverUrl);
    onTestFinished(() => database.drop());
    const outcomes: string[] = [];
    const store = await storeAt(database.url, ({ outcome }) => outcomes.push(outcome));
    await store.check();
    // As Postgres reports it.
    await database.query(
      `create function fault() returns trigger language plpgsql
        as $$ begin raise exception using errcode = 'disk_full', message = 'No space left on device'; end $$`,
    );
    await database.query('create trigger fault before update on heartbeat execute function fault()');
    await expect(store.check()).rejects.toThrow(
      /No space left.*Make room on the disk of the Postgres server/,
    );
    expect(outcomes).toEqual(['done', 'disk_full']);
  });

  describe('a job that another session has locked', () => {
    test('is named, with who holds it, by the running program and by doctor', async () => {
      const { url, store } = await openedStore();
      await write(store, 'held');
      expect(await store.heldLocks()).toEqual([]);
      const { release } = await lockedJob(url, 'held');
      onTestFinished(release);
      const held = { table: 'job', program: 'psql', state: 'idle in transaction' };
      await expect.poll(() => store.heldLocks()).toEqual([expect.objectContaining(held)]);
      const facts = await inspectStore({ databaseUrl: url }, NOW_MS);
      expect(facts.heldLocks).toEqual([expect.objectContaining(held)]);
      await expect(store.check()).resolves.toBeUndefined();
    });
  });
}
