import { describe, expect, test } from 'vitest';
import { openStore } from '../../src/store/open.ts';
import type { Store } from '../../src/store/store.ts';
import { type DatabaseProxy, startDatabaseProxy } from '../replicas/support/database-proxy.ts';
import { createTestDatabase, queryAt, type TestDatabase, testServerUrl } from '../support/postgres.ts';

/** As many as a replica has. */
const CONNECTIONS = 10;
/** A statement without an answer is given up after 15 s. */
const GIVEN_UP_WITHIN_MS = 25_000;
/** For what has to reconnect. */
const AT_ONCE_MS = 5_000;

const skipped =
  testServerUrl === undefined ? ' (skipped: set TEST_DATABASE_URL=postgres://user@host:5432/postgres)' : '';

interface World extends AsyncDisposable {
  readonly database: TestDatabase;
  readonly proxy: DatabaseProxy;
  readonly store: Store;
}

/** A store with all of its connections, made after `setUp`. */
async function openThroughProxy(setUp: (database: TestDatabase) => Promise<unknown> = async () => {}) {
  const resources = new AsyncDisposableStack();
  const database = await createTestDatabase(testServerUrl ?? '');
  resources.defer(() => database.drop());
  await (await openStore({ databaseUrl: database.url })).close();
  await setUp(database);
  const proxy = resources.use(await startDatabaseProxy(database.url));
  const store = await openStore({ databaseUrl: proxy.url });
  resources.defer(() => store.close());
  const world: World = {
    database,
    proxy,
    store,
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
  await onAllConnections(world);
  return world;
}

/** So many transactions at the same time; how they ended. */
async function onAllConnections({ store }: Pick<World, 'store'>): Promise<readonly string[]> {
  const all = Promise.withResolvers<void>();
  let begun = 0;
  const together = Array.from({ length: CONNECTIONS }, () =>
    store.transaction(async (tx) => {
      begun += 1;
      if (begun === CONNECTIONS) all.resolve();
      await all.promise;
      await tx.jobs.get('none');
    }),
  );
  return (await Promise.allSettled(together)).map(({ status }) => status);
}

async function msOf(action: () => Promise<unknown>): Promise<number> {
  const startedAtMs = performance.now();
  await action();
  return performance.now() - startedAtMs;
}

describe.skipIf(testServerUrl === undefined)(`after a failover of Postgres${skipped}`, () => {
  test.concurrent('connections that are silent in the middle of their work are given up, and new ones made', async () => {
    await using world = await openThroughProxy();
    const { proxy, store } = world;
    proxy.standStill();
    const silentForMs = await msOf(async () => {
      const checks = Array.from({ length: CONNECTIONS }, () => store.check());
      proxy.mend();
      for (const { status } of await Promise.allSettled(checks)) expect(status).toBe('rejected');
    });
    expect(silentForMs).toBeLessThan(GIVEN_UP_WITHIN_MS);
    expect(await msOf(() => store.check())).toBeLessThan(AT_ONCE_MS);
  });

  test.concurrent('a transaction on a silent connection ends with its first statement, and does not wait again to be undone', async () => {
    await using world = await openThroughProxy();
    const { proxy, store } = world;
    const writing = store.transaction(async (tx) => {
      await tx.jobs.get('none');
      proxy.standStill();
      await tx.inboundRequests.remember(['event:1'], 1);
    });
    expect(await msOf(() => expect(writing).rejects.toThrow('Postgres failed'))).toBeLessThan(
      GIVEN_UP_WITHIN_MS,
    );
  });

  test.concurrent('connections to a server that became read-only are closed', async () => {
    await using world = await openThroughProxy((database) => becomes(database, 'read-only'));
    const { database, store } = world;
    await expect(store.check()).rejects.toThrow('it must lead to the primary');
    await onAllConnections(world);
    await becomes(database, 'the primary');
    await expect(store.check()).rejects.toThrow('it must lead to the primary');
    const checks = Array.from({ length: CONNECTIONS }, () => store.check());
    expect(await msOf(() => Promise.all(checks))).toBeLessThan(AT_ONCE_MS);
  });
});

/** For the connections that are made from now on. */
async function becomes({ url }: TestDatabase, what: 'read-only' | 'the primary'): Promise<void> {
  const setting = `default_transaction_read_only = ${what === 'read-only' ? 'on' : 'off'}`;
  await queryAt(testServerUrl ?? '', `alter database ${new URL(url).pathname.slice(1)} set ${setting}`);
}
