import {
  CamelCasePlugin,
  HandleEmptyInListsPlugin,
  Kysely,
  replaceWithNoncontingentExpression,
  sql,
} from 'kysely';
import { Pool, types } from 'pg';
import type { Queries } from '../schema/tables.ts';
import type { Database, LeaseClock, TakeAdvisoryLock, Urgency } from './connection-turns.ts';
import { invalidUrlError } from './postgres-errors.ts';
import { postgresDialect, sharedPool } from './postgres-pool.ts';

/** Per replica; Postgres allows 100 in all by default. */
const MAX_CONNECTIONS = 10;
const CONNECT_TIMEOUT_MS = 10_000;
/** A server that vanished must not block the loops. */
const STATEMENT_TIMEOUT_MS = 15_000;
/** How long a close waits for running statements: a frozen server answers none. */
const CLOSE_WITHIN_MS = 1_000;
/** TCP keep-alive begins after this much silence. */
const KEEP_ALIVE_AFTER_MS = 10_000;

/** Type id of 64-bit integers, which `pg` reads as text. Ours are times and counts. */
const INT8 = 20;

/** @param isPatient statements and locks may take as long as they need, as a migration of a large database does */
export function openPostgres(databaseUrl: string, isPatient = false): Database {
  const invalid = invalidUrlError(databaseUrl);
  if (invalid !== null) throw invalid;
  const pool = new Pool({
    connectionString: databaseUrl,
    max: MAX_CONNECTIONS,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    query_timeout: isPatient ? 0 : STATEMENT_TIMEOUT_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_AFTER_MS,
    application_name: 'docs-agent',
    types: {
      getTypeParser: (oid, format) => (oid === INT8 ? Number : types.getTypeParser(oid, format)),
    },
  });
  // Without listeners, a connection that breaks between two statements would end the process. The pool drops it, and
  // its transaction fails at the next statement.
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));
  const poolFor = sharedPool(pool, databaseUrl, MAX_CONNECTIONS);
  const queriesFor = (urgency: Urgency): Queries => {
    const dialect = postgresDialect({ pool: poolFor(urgency) }, isPatient);
    const emptyLists = new HandleEmptyInListsPlugin({ strategy: replaceWithNoncontingentExpression });
    return new Kysely({ dialect, plugins: [emptyLists, new CamelCasePlugin()] });
  };
  const queries = queriesFor('request');
  const others = { again: queriesFor('again'), background: queriesFor('background') };
  const close = async () => {
    const { promise: limit, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, CLOSE_WITHIN_MS);
    await Promise.race([queries.destroy(), limit]);
    clearTimeout(timer);
  };
  return { queries, ...others, engine: 'postgres', advisoryLockIn, leaseClockIn, close };
}

/** Names with the same hash wait for each other, which does no harm. */
function advisoryLockIn(transaction: Queries): TakeAdvisoryLock {
  return async (name) => {
    await sql`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`.execute(transaction);
  };
}

/** The server's clock: those of the replicas may differ. */
function leaseClockIn(transaction: Queries): LeaseClock {
  return async () => {
    const { rows } = await sql<{ ms: number }>`
      select cast(extract(epoch from clock_timestamp()) * 1000 as bigint) as ms`.execute(transaction);
    return rows[0]?.ms ?? Number.NaN;
  };
}
