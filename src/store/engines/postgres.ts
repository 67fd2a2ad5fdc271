import { HandleEmptyInListsPlugin, Kysely, replaceWithNoncontingentExpression, sql } from 'kysely';
import { Pool, types } from 'pg';
import type { Queries, Tables } from '../schema/tables.ts';
import type { Database, LeaseClock, TakeAdvisoryLock } from './database.ts';
import { postgresDialect } from './postgres-dialect.ts';
import { invalidUrlError } from './postgres-errors.ts';
import { trustedPool } from './postgres-pool.ts';

/** Per replica; Postgres allows 100 altogether unless set otherwise. */
const MAX_CONNECTIONS = 10;
const CONNECT_TIMEOUT_MS = 10_000;
/** A server that has vanished without a word must not hold up the loops. */
const STATEMENT_TIMEOUT_MS = 15_000;
/** A close waits so long for statements in hand: a server that stands still answers none. */
const CLOSE_WITHIN_MS = 1_000;
/** After so long without a word, the system asks whether the server is still there, each second, ten times. */
const KEEP_ALIVE_AFTER_MS = 10_000;

/** Postgres' type id of 64-bit integers, which `pg` reads as text. Ours are times and counts. */
const INT8 = 20;

export function openPostgres(databaseUrl: string): Database {
  const invalid = invalidUrlError(databaseUrl);
  if (invalid !== null) throw invalid;
  const pool = new Pool({
    connectionString: databaseUrl,
    max: MAX_CONNECTIONS,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    query_timeout: STATEMENT_TIMEOUT_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_AFTER_MS,
    application_name: 'docs-agent',
    types: {
      getTypeParser: (oid, format) => (oid === INT8 ? Number : types.getTypeParser(oid, format)),
    },
  });
  // A connection broke between two statements. Without listeners that would end the process. The pool drops
  // the connection, and the transaction in it, if any, fails at its next statement.
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));
  const queries = new Kysely<Tables>({
    dialect: postgresDialect({ pool: trustedPool(pool, databaseUrl) }),
    plugins: [new HandleEmptyInListsPlugin({ strategy: replaceWithNoncontingentExpression })],
  });
  const close = async () => {
    const { promise: limit, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, CLOSE_WITHIN_MS);
    await Promise.race([queries.destroy(), limit]);
    clearTimeout(timer);
  };
  return { queries, engine: 'postgres', isRemote: true, advisoryLockIn, leaseClockIn, close };
}

/** Two names with the same hash wait for each other, which does no harm. */
function advisoryLockIn(transaction: Queries): TakeAdvisoryLock {
  return async (name) => {
    await sql`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`.execute(transaction);
  };
}

/** The server's own: those of the replicas may differ. */
function leaseClockIn(transaction: Queries): LeaseClock {
  return async () => {
    const now = sql<{
      ms: number;
    }>`select cast(extract(epoch from clock_timestamp()) * 1000 as bigint) as ms`;
    const { rows } = await now.execute(transaction);
    return rows[0]?.ms ?? Number.NaN;
  };
}
