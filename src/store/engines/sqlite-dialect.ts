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

export interface SqliteHooks {
  /** Makes the error that is thrown instead of one of SQLite's. */
  readonly translate: (error: unknown) => Error;
  /** Throws if the file must not be used any more; called before each transaction or single statement. */
  readonly verify: () => void;
}

/** Kysely on Node's own SQLite. */
export function nodeSqliteDialect(file: DatabaseSync, hooks: SqliteHooks): Dialect {
  return {
    createDriver: () => new ImmediateDriver(file, hooks),
    createQueryCompiler: () => new LocklessQueryCompiler(),
    createAdapter: () => new TransactionalAdapter(),
    createIntrospector: (db: Kysely<unknown>) => new SqliteIntrospector(db),
  };
}

class ImmediateDriver extends SqliteDriver {
  private readonly file: DatabaseSync;

  constructor(file: DatabaseSync, hooks: SqliteHooks) {
    super({ database: kyselyDatabase(file, hooks) });
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

function kyselyDatabase(file: DatabaseSync, { translate, verify }: SqliteHooks): SqliteDatabase {
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
      // Not within a transaction: its rollback must go through.
      if (!file.isTransaction) verify();
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
