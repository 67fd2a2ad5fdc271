import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  PostgresAdapter,
  type PostgresDialectConfig,
  PostgresDriver,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type TransactionSettings,
} from 'kysely';

/**
 * Frees the locks of a replica that froze in the middle of a transaction, before those who wait for them take up
 * all connections of a replica that lives.
 */
const MAX_IDLE_IN_TRANSACTION_MS = 10_000;

export function postgresDialect(config: PostgresDialectConfig): Dialect {
  return {
    createDriver: () => new LimitedDriver(config),
    createQueryCompiler: () => new PostgresQueryCompiler(),
    createAdapter: () => new PostgresAdapter(),
    createIntrospector: (db) => new PostgresIntrospector(db),
  };
}

/**
 * Limits how long each transaction may stand still, in the round trip with which it begins. Not the session: through a
 * pooler such as PgBouncer, each transaction may have another one, and share it with other programs.
 */
class LimitedDriver extends PostgresDriver {
  override beginTransaction(connection: DatabaseConnection, settings: TransactionSettings): Promise<void> {
    const limited: DatabaseConnection = {
      executeQuery: ({ sql }) =>
        connection.executeQuery(
          CompiledQuery.raw(
            `${sql}; set local idle_in_transaction_session_timeout = ${MAX_IDLE_IN_TRANSACTION_MS}`,
          ),
        ),
      streamQuery: connection.streamQuery,
    };
    return super.beginTransaction(limited, settings);
  }
}
