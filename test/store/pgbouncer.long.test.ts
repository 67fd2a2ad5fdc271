import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { openPostgres } from '../../src/store/engines/postgres.ts';
import { migrateStore, openStore } from '../../src/store/open.ts';
import type { Store } from '../../src/store/store.ts';
import { storeContract } from '../contract/store-contract.ts';
import { noPgBouncer, type PgBouncer, type PoolMode, startPgBouncer } from '../support/pgbouncer.ts';
import { createTestDatabase, type TestDatabase, testServerUrl } from '../support/postgres.ts';

const whyNot = testServerUrl === undefined ? 'no TEST_DATABASE_URL' : noPgBouncer;
const skipped = whyNot === null ? '' : ` (skipped: ${whyNot})`;

/** With transactions, the connections of two replicas share fewer; a session keeps its own. */
const POOL_SIZES: Readonly<Record<PoolMode, number>> = { transaction: 4, session: 40 };

for (const mode of ['transaction', 'session'] as const) {
  describe.skipIf(whyNot !== null)(`through PgBouncer, pooling by ${mode}${skipped}`, () => {
    let database: TestDatabase;
    let pooler: PgBouncer;
    beforeAll(async () => {
      const serverUrl = testServerUrl ?? '';
      database = await createTestDatabase(serverUrl);
      pooler = await startPgBouncer(serverUrl, mode, POOL_SIZES[mode]);
    });
    afterAll(async () => {
      await pooler[Symbol.asyncDispose]();
      await database.drop();
    });

    const location = () => ({ databaseUrl: pooler.urlOf(database.url) });

    async function openEmpty(): Promise<Store> {
      const store = await openStore(location());
      await database.empty();
      return store;
    }

    storeContract('the store', openEmpty);

    test('replicas that start at once on an empty database migrate it once, and leave no lock behind', async () => {
      const empty = await createTestDatabase(testServerUrl ?? '');
      onTestFinished(() => empty.drop());
      const databaseUrl = pooler.urlOf(empty.url);
      const made = await Promise.all(Array.from({ length: 8 }, () => migrateStore({ databaseUrl })));
      expect(made.filter((names) => names.length > 0)).toHaveLength(1);
      const locks = await empty.query(
        "select * from pg_locks where locktype = 'advisory' and database = (select oid from pg_database where datname = current_database())",
      );
      expect(locks).toEqual([]);
    });

    test('a transaction has its limit, and leaves none behind for others', async () => {
      const { queries, close } = openPostgres(location().databaseUrl);
      onTestFinished(close);
      const limit = sql<{
        idle: string;
      }>`select current_setting('idle_in_transaction_session_timeout') as idle`;
      const within = await queries.transaction().execute((tx) => limit.execute(tx));
      expect(within.rows).toEqual([{ idle: '10s' }]);
      expect((await limit.execute(queries)).rows).toEqual([{ idle: '0' }]);
    });
  });
}
