import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  PostgresAdapter,
  type PostgresDialectConfig,
  PostgresDriver,
  PostgresIntrospector,
  type PostgresPool,
  type PostgresPoolClient,
  PostgresQueryCompiler,
  type TransactionSettings,
} from 'kysely';
import type { Pool, PoolClient } from 'pg';
import type { StoreError } from '../errors.ts';
import { connectionErrors, isConnectionLost, statementError } from './postgres-errors.ts';

/**
 * The pool as Kysely uses it, with translated errors and without dead connections. After a failover, some connections
 * are silent and others read-only, yet none is closed. So once one is lost, all older ones are closed before their next
 * use, instead of failing one by one.
 */
export function trustedPool(pool: Pool, databaseUrl: string): PostgresPool {
  const explain = connectionErrors(databaseUrl);
  const madeAfterLosses = new WeakMap<PoolClient, number>();
  let losses = 0;
  const onLost = () => {
    losses += 1;
  };
  pool.on('connect', (client) => madeAfterLosses.set(client, losses));
  const take = async (): Promise<PoolClient> => {
    for (;;) {
      const client = await pool.connect();
      if (madeAfterLosses.get(client) === losses) return client;
      client.release(true);
    }
  };
  return {
    options: pool.options,
    end: () => pool.end(),
    connect: async () => {
      try {
        return translatingClient(await take(), onLost);
      } catch (error) {
        throw explain(error);
      }
    },
  };
}

function translatingClient(client: PoolClient, onLost: () => void): PostgresPoolClient {
  let lost: StoreError | null = null;
  const query = async (sql: string, parameters: readonly unknown[]) => {
    // A rollback, say, would wait just as long for nothing.
    if (lost !== null) throw lost;
    try {
      return await client.query(sql, parameters.map(storable));
    } catch (error) {
      const failure = statementError(error);
      if (isConnectionLost(failure.code)) {
        lost = failure;
        onLost();
      }
      throw failure;
    }
  };
  return {
    // Kysely passes a cursor only for streams, which the store does not use.
    query: query as unknown as PostgresPoolClient['query'],
    release: (destroy) => client.release(destroy || lost !== null),
  };
}

/** Postgres rejects NUL in text, and fractions in integers such as times; SQLite takes both. */
function storable(parameter: unknown): unknown {
  if (typeof parameter === 'number') return Math.round(parameter);
  return typeof parameter === 'string' ? parameter.replaceAll('\0', '\uFFFD') : parameter;
}

/** Frees the locks of a frozen replica before waiters take up all connections of a live one. */
const MAX_IDLE_IN_TRANSACTION_MS = 10_000;

/** `waitsForDisk`: whether a transaction ends only when it is on the server's disk. */
export function postgresDialect(
  config: PostgresDialectConfig,
  { waitsForDisk }: { readonly waitsForDisk: boolean } = { waitsForDisk: true },
): Dialect {
  const limits = [`idle_in_transaction_session_timeout = ${MAX_IDLE_IN_TRANSACTION_MS}`];
  const settings = waitsForDisk ? limits : [...limits, 'synchronous_commit = off'];
  return {
    createDriver: () => new DriverWithSettings(config, settings),
    createQueryCompiler: () => new PostgresQueryCompiler(),
    createAdapter: () => new Adapter(),
    createIntrospector: (db) => new PostgresIntrospector(db),
  };
}

/**
 * Without Kysely's lock for migrations, which belongs to the session: behind PgBouncer, other transactions get that
 * session. `migrate` holds a lock of its own until its commit.
 */
class Adapter extends PostgresAdapter {
  override async acquireMigrationLock(): Promise<void> {}

  override async releaseMigrationLock(): Promise<void> {}
}

/**
 * Makes settings, such as how long it may idle, for each transaction in the round trip that begins it. Not per session:
 * behind a pooler such as PgBouncer, each transaction may get another session, shared with other programs.
 */
class DriverWithSettings extends PostgresDriver {
  private readonly settings: readonly string[];

  constructor(config: PostgresDialectConfig, settings: readonly string[]) {
    super(config);
    this.settings = settings;
  }

  override beginTransaction(connection: DatabaseConnection, settings: TransactionSettings): Promise<void> {
    const withSettings: DatabaseConnection = {
      executeQuery: ({ sql }) =>
        connection.executeQuery(
          CompiledQuery.raw([sql, ...this.settings.map((setting) => `set local ${setting}`)].join('; ')),
        ),
      streamQuery: connection.streamQuery,
    };
    return super.beginTransaction(withSettings, settings);
  }
}
