import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Kysely,
  SqliteAdapter,
  type SqliteDatabase,
  SqliteDriver,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';

/**
 * Kysely on Node's own SQLite. `translate` makes the error that is thrown instead of one of SQLite's.
 */
export function nodeSqliteDialect(file: DatabaseSync, translate: (error: unknown) => Error): Dialect {
  return {
    createDriver: () => new ImmediateDriver(file, translate),
    createQueryCompiler: () => new LocklessQueryCompiler(),
    createAdapter: () => new TransactionalAdapter(),
    createIntrospector: (db: Kysely<unknown>) => new SqliteIntrospector(db),
  };
}

class ImmediateDriver extends SqliteDriver {
  private readonly file: DatabaseSync;

  constructor(file: DatabaseSync, translate: (error: unknown) => Error) {
    super({ database: kyselyDatabase(file, translate) });
    this.file = file;
  }

  /** Writes from the start: a transaction that reads first could not be upgraded behind another's write. */
  override async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('begin immediate'));
  }

  override async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    // After some errors, such as a full disk, SQLite has rolled back by itself.
    if (this.file.isTransaction) await super.rollbackTransaction(connection);
  }
}

/** A transaction has the whole database for itself, so SQLite knows no row locks. */
class LocklessQueryCompiler extends SqliteQueryCompiler {
  protected override visitSelectModifier(): void {}
}

/** Kysely is careful here, but SQLite undoes changes of the schema like all others. */
class TransactionalAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}

function kyselyDatabase(file: DatabaseSync, translate: (error: unknown) => Error): SqliteDatabase {
  const attempt = <T>(action: () => T): T => {
    try {
      return action();
    } catch (error) {
      throw translate(error);
    }
  };
  return {
    close: () => file.close(),
    prepare: (sql) => {
      const statement = attempt(() => file.prepare(sql));
      const values = (parameters: readonly unknown[]) => parameters as SQLInputValue[];
      return {
        reader: statement.columns().length > 0,
        all: (parameters) => attempt(() => statement.all(...values(parameters))),
        run: (parameters) => attempt(() => statement.run(...values(parameters))),
        iterate: (parameters) => statement.iterate(...values(parameters)),
      };
    },
  };
}
