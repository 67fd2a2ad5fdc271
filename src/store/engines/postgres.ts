import { setTimeout as sleep } from 'node:timers/promises';
import {
  CompiledQuery,
  type DatabaseConnection,
  HandleEmptyInListsPlugin,
  Kysely,
  PostgresAdapter,
  type PostgresDialectConfig,
  PostgresDriver,
  PostgresIntrospector,
  PostgresQueryCompiler,
  replaceWithNoncontingentExpression,
  sql,
  type TransactionSettings,
} from 'kysely';
import { Pool, types } from 'pg';
import type { Queries } from '../schema/tables.ts';
import { columnName, type Database, type HeldLock } from './database.ts';
import { invalidUrlError } from './postgres-errors.ts';
import { sharedPool, type Urgency } from './postgres-pool.ts';

/** Per replica. Postgres allows 100 by default. */
const MAX_CONNECTIONS = 10;
const CONNECT_TIMEOUT_MS = 10_000;
/** A frozen server does not answer running statements. */
const CLOSE_WITHIN_MS = 1_000;
const KEEP_ALIVE_AFTER_MS = 10_000;
/** Frees the locks of a frozen replica. */
const MAX_IDLE_IN_TRANSACTION_MS = 10_000;
/** On average; then another transaction gets the connection. */
const LOCK_WITHIN_MS = 200;
const LONG_HELD_MS = 5_000;

/** 64-bit integers, which `pg` reads as text. */
const INT8 = 20;

export function openPostgres(databaseUrl: string): Database {
  const invalid = invalidUrlError(databaseUrl);
  if (invalid !== null) throw invalid;
  const pool = new Pool({
    connectionString: databaseUrl,
    max: MAX_CONNECTIONS,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_AFTER_MS,
    application_name: 'docs-agent',
    types: {
      getTypeParser: (oid, format) => (oid === INT8 ? Number : types.getTypeParser(oid, format)),
    },
  });
  // Without listeners, a broken idle connection would end the process.
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));
  const poolFor = sharedPool(pool, databaseUrl, MAX_CONNECTIONS);
  const queriesFor = (urgency: Urgency): Queries =>
    new Kysely({
      dialect: {
        createDriver: () => new DriverWithSettings({ pool: poolFor(urgency) }, urgency === 'migration'),
        createQueryCompiler: () => new QueryCompiler(),
        createAdapter: () => new Adapter(),
        createIntrospector: (db) => new PostgresIntrospector(db),
      },
      plugins: [new HandleEmptyInListsPlugin({ strategy: replaceWithNoncontingentExpression })],
    });
  const queries = queriesFor('request');
  return {
    engine: 'postgres',
    queries,
    again: queriesFor('again'),
    background: queriesFor('background'),
    patient: queriesFor('migration'),
    takeLock,
    leaseNowMs,
    heldLocks: () => heldLocks(queries),
    close: async () => {
      await Promise.race([queries.destroy(), sleep(CLOSE_WITHIN_MS, undefined, { ref: false })]);
    },
  };
}

async function takeLock(transaction: Queries, name: string) {
  await sql`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`.execute(transaction);
}

/** Replicas' clocks may differ. */
async function leaseNowMs(transaction: Queries) {
  const { rows } = await sql<{ ms: number }>`
    select cast(extract(epoch from clock_timestamp()) * 1000 as bigint) as ms`.execute(transaction);
  return rows[0]?.ms ?? Number.NaN;
}

/** Sessions whose age is hidden count while another waits for them. */
async function heldLocks(queries: Queries) {
  const { rows } = await sql<HeldLock>`
    select distinct on (holder.pid) holder.pid, coalesce(holder.application_name, '') as program,
      coalesce(holder.state, '') as state, held.relname as "table",
      cast(extract(epoch from clock_timestamp() - holder.xact_start) * 1000 as bigint) as for_ms
    from pg_locks as lock
    join pg_class as held on held.oid = lock.relation
    join pg_stat_activity as holder on holder.pid = lock.pid
    where lock.granted and lock.locktype = 'relation' and holder.datname = current_database()
      and held.relkind = 'r' and held.relnamespace = cast(current_schema() as regnamespace)
      and lock.mode not in ('AccessShareLock', 'ShareUpdateExclusiveLock')
      and holder.pid <> pg_backend_pid()
      and coalesce(
        holder.xact_start < clock_timestamp() - cast(${`${LONG_HELD_MS} milliseconds`} as interval),
        holder.pid in (
          select unnest(pg_blocking_pids(waiting.pid)) from pg_locks as waiting where not waiting.granted
        )
      )
    order by holder.pid, held.relname`.execute(queries);
  return rows;
}

class QueryCompiler extends PostgresQueryCompiler {
  protected override sanitizeIdentifier(identifier: string): string {
    return super.sanitizeIdentifier(columnName(identifier));
  }
}

/** Kysely's migration lock belongs to the session, which PgBouncer shares. `migrate` takes its own. */
class Adapter extends PostgresAdapter {
  override async acquireMigrationLock(): Promise<void> {}

  override async releaseMigrationLock(): Promise<void> {}
}

/** PgBouncer shares sessions, so limits are set with each `begin`. */
class DriverWithSettings extends PostgresDriver {
  private readonly isPatient: boolean;

  constructor(config: PostgresDialectConfig, isPatient: boolean) {
    super(config);
    this.isPatient = isPatient;
  }

  override beginTransaction(connection: DatabaseConnection, settings: TransactionSettings): Promise<void> {
    // Two transactions that wait for each other must not time out together.
    const lockWithinMs = Math.round(LOCK_WITHIN_MS * (0.75 + Math.random() / 2));
    const local = [
      `set local idle_in_transaction_session_timeout = ${MAX_IDLE_IN_TRANSACTION_MS}`,
      ...(this.isPatient ? [] : [`set local lock_timeout = ${lockWithinMs}`]),
    ];
    const withSettings: DatabaseConnection = {
      executeQuery: ({ sql }) => connection.executeQuery(CompiledQuery.raw([sql, ...local].join('; '))),
      streamQuery: connection.streamQuery,
    };
    return super.beginTransaction(withSettings, settings);
  }
}
