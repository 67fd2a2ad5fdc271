import { setTimeout as sleep } from 'node:timers/promises';
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
import { ConnectionTurns, codeOf, StoreError, type Urgency } from './connection-turns.ts';
import {
  connectionErrors,
  isConnectionLost,
  statementError,
  TOO_MANY_CONNECTIONS,
} from './postgres-errors.ts';

/** A request that is not stored by then is answered so while Slack still waits. */
const TURN_WITHIN_MS: Readonly<Record<Urgency, number>> = {
  request: 2_000,
  again: 600,
  background: 10_000,
};
/** For a server without a free connection. */
const CONNECT_AGAIN_MS = 100;

/**
 * The pool as Kysely uses it: in turns, with translated errors and without dead connections. After a
 * failover, some connections are silent and others read-only, yet none is closed. So once one is lost, all
 * older ones are closed before their next use, instead of failing one by one.
 */
export function sharedPool(pool: Pool, databaseUrl: string, max: number): (urgency: Urgency) => PostgresPool {
  const explain = connectionErrors(databaseUrl);
  const madeAfterLosses = new WeakMap<PoolClient, number>();
  const turns = new ConnectionTurns(max);
  let losses = 0;
  let inUse = 0;
  const onLost = () => {
    losses += 1;
  };
  pool.on('connect', (client) => madeAfterLosses.set(client, losses));

  async function connect(): Promise<PoolClient> {
    for (;;) {
      const client = await pool.connect();
      if (madeAfterLosses.get(client) === losses) return client;
      client.release(true);
    }
  }

  /** Waits for a turn, and for another if the server refuses one more connection. */
  async function take(urgency: Urgency): Promise<PostgresPoolClient> {
    const untilMs = performance.now() + TURN_WITHIN_MS[urgency];
    const nextTurn = (isFirst: boolean) => turns.take(urgency, untilMs - performance.now(), isFirst);
    for (let turn = nextTurn(false); ; ) {
      if (!(await turn)) throw noneFreeError(turns.size);
      const giveBack = () => turns.giveBack(urgency);
      try {
        const client = await connect();
        inUse += 1;
        return translatingClient(client, onLost, () => {
          inUse -= 1;
          giveBack();
        });
      } catch (error) {
        const open = inUse + pool.idleCount;
        const isRefused = codeOf(error) === TOO_MANY_CONNECTIONS && performance.now() < untilMs;
        if (isRefused && open > 0) turns.limitTo(open);
        if (isRefused && open === 0) await sleep(CONNECT_AGAIN_MS);
        // Before the turn goes to a later request.
        if (isRefused) turn = nextTurn(true);
        giveBack();
        if (!isRefused) throw explain(error);
      }
    }
  }

  return (urgency) => ({ options: pool.options, end: () => pool.end(), connect: () => take(urgency) });
}

function noneFreeError(connections: number): StoreError {
  return new StoreError(
    `No connection to Postgres became free in time: all ${connections} are in use. ` +
      'If this goes on, give the role or the database more connections (CONNECTION LIMIT), or look why statements take long.',
    null,
    true,
  );
}

function translatingClient(
  client: PoolClient,
  onLost: () => void,
  onReleased: () => void,
): PostgresPoolClient {
  let lost: StoreError | null = null;
  const query = async (sql: string, parameters: readonly unknown[]) => {
    // A rollback, for example, would wait just as long for nothing.
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
    release: (destroy) => {
      client.release(destroy || lost !== null);
      onReleased();
    },
  };
}

/** Postgres rejects NUL in text, and fractions in integers such as times; SQLite takes both. */
function storable(parameter: unknown): unknown {
  if (typeof parameter === 'number') return Math.round(parameter);
  return typeof parameter === 'string' ? parameter.replaceAll('\0', '\uFFFD') : parameter;
}

/** Frees the locks of a frozen replica before waiters take up all connections of a live one. */
const MAX_IDLE_IN_TRANSACTION_MS = 10_000;

/** About: then another transaction uses the connection, and this one is tried again. */
const LOCK_WITHIN_MS = 200;

/** @param isPatient it waits for its locks without a limit */
export function postgresDialect(config: PostgresDialectConfig, isPatient: boolean): Dialect {
  return {
    createDriver: () => new DriverWithSettings(config, isPatient),
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
  private readonly isPatient: boolean;

  constructor(config: PostgresDialectConfig, isPatient: boolean) {
    super(config);
    this.isPatient = isPatient;
  }

  override beginTransaction(connection: DatabaseConnection, settings: TransactionSettings): Promise<void> {
    // Two that wait for each other must not give up at the same moment, only to meet again.
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
