import {
  HandleEmptyInListsPlugin,
  Kysely,
  PostgresDialect,
  type PostgresPool,
  type PostgresPoolClient,
  replaceWithNoncontingentExpression,
  sql,
} from 'kysely';
import { Pool, type PoolClient, types } from 'pg';
import type { Queries, Tables } from '../schema/tables.ts';
import type { Database, LeaseClock, PassAlone } from './database.ts';
import { connectionErrors, invalidUrlError, statementError } from './postgres-errors.ts';

/** Per replica; Postgres allows 100 altogether unless set otherwise. */
const MAX_CONNECTIONS = 10;
const CONNECT_TIMEOUT_MS = 10_000;
/** A server that has vanished without a word must not hold up the loops. */
const STATEMENT_TIMEOUT_MS = 15_000;
/** A close waits so long for statements in hand: a server that stands still answers none. */
const CLOSE_WITHIN_MS = 1_000;
/**
 * Frees the locks of a replica that froze in the middle of a transaction, before those who wait for them take up
 * all connections of a replica that lives.
 */
const MAX_IDLE_IN_TRANSACTION_MS = 10_000;

/** Postgres' type id of 64-bit integers, which `pg` reads as text. Ours are times and counts. */
const INT8 = 20;

export function openPostgres(databaseUrl: string): Database {
  const invalid = invalidUrlError(databaseUrl);
  if (invalid !== null) throw invalid;
  const pool = new Pool({
    connectionString: databaseUrl,
    max: MAX_CONNECTIONS,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    idle_in_transaction_session_timeout: MAX_IDLE_IN_TRANSACTION_MS,
    query_timeout: STATEMENT_TIMEOUT_MS,
    keepAlive: true,
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
    dialect: new PostgresDialect({ pool: translatingPool(pool, databaseUrl) }),
    plugins: [new HandleEmptyInListsPlugin({ strategy: replaceWithNoncontingentExpression })],
  });
  const close = async () => {
    const { promise: limit, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, CLOSE_WITHIN_MS);
    await Promise.race([queries.destroy(), limit]);
    clearTimeout(timer);
  };
  return { queries, engine: 'postgres', isRemote: true, passAloneIn, leaseClockIn, close };
}

/** Two names with the same hash wait for each other, which does no harm. */
function passAloneIn(transaction: Queries): PassAlone {
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

/** The pool as Kysely uses it, with errors of ours. */
function translatingPool(pool: Pool, databaseUrl: string): PostgresPool {
  const explain = connectionErrors(databaseUrl);
  return {
    options: pool.options,
    end: () => pool.end(),
    connect: async () => {
      try {
        return translatingClient(await pool.connect());
      } catch (error) {
        throw explain(error);
      }
    },
  };
}

function translatingClient(client: PoolClient): PostgresPoolClient {
  const query = async (sql: string, parameters: readonly unknown[]) => {
    try {
      return await client.query(sql, parameters.map(storable));
    } catch (error) {
      throw statementError(error);
    }
  };
  return {
    // Kysely passes a cursor only for streams, which the store does not use.
    query: query as unknown as PostgresPoolClient['query'],
    release: (destroy) => client.release(destroy),
  };
}

/** Text in Postgres cannot hold the character NUL; text from outside may. */
function storable(parameter: unknown): unknown {
  return typeof parameter === 'string' ? parameter.replaceAll('\0', '\uFFFD') : parameter;
}
