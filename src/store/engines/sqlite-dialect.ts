import type { DatabaseSync } from 'node:sqlite';
import { type Dialect, type Kysely, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } from 'kysely';
import { GroupCommitDriver, type SqliteHooks } from './group-commit.ts';

/** Kysely on Node's own SQLite. */
export function nodeSqliteDialect(file: DatabaseSync, hooks: SqliteHooks): Dialect {
  return {
    createDriver: () => new GroupCommitDriver(file, hooks),
    createQueryCompiler: () => new LocklessQueryCompiler(),
    createAdapter: () => new Adapter(),
    createIntrospector: (db: Kysely<unknown>) => new SqliteIntrospector(db),
  };
}

/** A transaction has the whole database for itself, so SQLite knows no row locks. */
class LocklessQueryCompiler extends SqliteQueryCompiler {
  protected override visitSelectModifier(): void {}
}

class Adapter extends SqliteAdapter {
  /** Kysely is careful here, but SQLite undoes changes of the schema like all others. */
  override get supportsTransactionalDdl(): boolean {
    return true;
  }

  /** The driver itself lets one in at a time: it must know who waits. */
  override get supportsMultipleConnections(): boolean {
    return true;
  }
}
