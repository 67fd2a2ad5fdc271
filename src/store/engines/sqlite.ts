import { closeSync, existsSync, fdatasync, mkdirSync, openSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { DatabaseSync, type DatabaseSyncOptions } from 'node:sqlite';
import { promisify } from 'node:util';
import {
  type Dialect,
  Kysely,
  type LimitNode,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';
import type { Queries } from '../schema/tables.ts';
import { codeOf, columnName, type Database, StoreError } from './database.ts';
import { FLUSHES_AT_ONCE, groupCommitDriver, type SqliteHooks } from './group-commit.ts';
import { isBusy, sqliteError, unusableDirectory } from './sqlite-errors.ts';

export const DATABASE_FILE = 'docs-agent.db';
/** The operating system releases its lock even after a kill. */
export const OWNER_FILE = 'owner.db';
export const BUSY_TIMEOUT_MS = 5_000;
/**
 * A commit is durable once `walFlusher` has flushed the log, which SQLite opens at the first read. With a log of
 * 1,000 pages, SQLite's default, checkpoints took a quarter of the time of a burst; 4,000 are 16 MiB.
 */
const SET_UP = `pragma journal_mode = wal; pragma synchronous = normal; select 1 from sqlite_schema;
  pragma wal_autocheckpoint = 4000; pragma busy_timeout = 0`;
const OWNER_TIMEOUT_MS = 500;

/** Locks the directory until closed. */
export function openSqlite(dataDir: string): Database {
  const directory = resolve(dataDir);
  try {
    makeDirectory(directory);
  } catch (error) {
    throw unusableDirectory(directory, codeOf(error));
  }
  using opened = new DisposableStack();
  const owner = opened.use(takeOwnership(directory));
  const translate = (error: unknown) => sqliteError(directory, error);
  try {
    const path = join(directory, DATABASE_FILE);
    makePrivate(path);
    const options = { timeout: BUSY_TIMEOUT_MS, enableForeignKeyConstraints: true };
    const file = opened.use(connect(path, options, SET_UP));
    const wal = walFlusher(directory, `${path}-wal`);
    const checkLoss = lossDetector(directory);
    const verify = () => {
      wal.verify();
      checkLoss();
    };
    const dialect = nodeSqliteDialect(file, { translate, verify, flush: wal.flush });
    const queries: Queries = new Kysely({ dialect });
    opened.move();
    return {
      engine: 'sqlite',
      queries,
      again: queries,
      background: queries,
      patient: queries,
      takeLock: async () => {},
      // The owner frees all leases at its start.
      leaseNowMs: async () => Math.round(performance.now()),
      heldLocks: async () => [],
      close: async () => {
        try {
          await queries.destroy();
          wal.close();
        } finally {
          if (owner.isOpen) owner.close();
        }
      },
    };
  } catch (error) {
    throw translate(error);
  }
}

/** Throws StoreError if the file cannot be opened or, unless read-only, written. */
export function openBeside(path: string, isReadOnly: boolean): Queries {
  const translate = (error: unknown) => sqliteError(dirname(path), error);
  const options = { readOnly: isReadOnly, timeout: BUSY_TIMEOUT_MS };
  try {
    const file = connect(path, options, isReadOnly ? '' : 'begin immediate; rollback');
    return new Kysely({ dialect: nodeSqliteDialect(file, { translate }) });
  } catch (error) {
    throw translate(error);
  }
}

/** Node's `recursive` never returns in a directory that takes no others, such as `/proc`. */
export function makeDirectory(directory: string): void {
  try {
    mkdirSync(directory, { mode: 0o700 });
  } catch (error) {
    if (statSync(directory, { throwIfNoEntry: false })?.isDirectory()) return;
    const parent = dirname(directory);
    if (codeOf(error) !== 'ENOENT' || existsSync(parent)) throw error;
    makeDirectory(parent);
    makeDirectory(directory);
  }
}

function takeOwnership(directory: string) {
  try {
    const path = join(directory, OWNER_FILE);
    makePrivate(path);
    return connect(path, { timeout: OWNER_TIMEOUT_MS }, 'begin exclusive');
  } catch (error) {
    if (!isBusy(error)) throw sqliteError(directory, error);
    throw new StoreError(
      `The data directory ${directory} is in use by another docs-agent. Stop that one, or give this one ` +
        'another DATA_DIR. Several replicas of one docs-agent need a Postgres database: set DATABASE_URL.',
      null,
      true,
    );
  }
}

/**
 * Only this user may read prompts and tokens. Opens no existing file: closing it would release SQLite's
 * locks.
 */
function makePrivate(path: string) {
  try {
    closeSync(openSync(path, 'wx', 0o600));
  } catch {
    // It exists, or SQLite will say what is wrong.
  }
}

/** SQLite would keep writing to a deleted file. */
function lossDetector(directory: string) {
  const stats = () => statSync(join(directory, DATABASE_FILE), { throwIfNoEntry: false });
  const opened = stats();
  return () => {
    const now = stats();
    if (now !== undefined && now.ino === opened?.ino && now.dev === opened.dev) return;
    throw new StoreError(
      `The store in ${directory} was removed or replaced while docs-agent ran. Nothing can be stored until ` +
        'docs-agent is restarted; restore the directory from a backup first, or it starts empty.',
    );
  };
}

/** Temporary data stays in memory: only the data directory may be writable. */
export function connect(path: string, options: DatabaseSyncOptions = {}, setUp = ''): DatabaseSync {
  const connection = new DatabaseSync(path, options);
  try {
    connection.exec(`pragma temp_store = memory; ${setUp}`);
    return connection;
  } catch (error) {
    connection.close();
    throw error;
  }
}

export function nodeSqliteDialect(file: DatabaseSync, hooks: SqliteHooks): Dialect {
  return {
    createDriver: () => groupCommitDriver(file, hooks),
    createQueryCompiler: () => new QueryCompiler(),
    createAdapter: () => new Adapter(),
    createIntrospector: (db: Kysely<unknown>) => new SqliteIntrospector(db),
  };
}

class QueryCompiler extends SqliteQueryCompiler {
  protected override sanitizeIdentifier(identifier: string): string {
    return super.sanitizeIdentifier(columnName(identifier));
  }

  protected override visitSelectModifier(): void {}

  /** With a plain parameter, SQLite would prepare the statement again at each use. */
  protected override visitLimit({ limit }: LimitNode): void {
    this.append('limit cast(');
    this.visitNode(limit);
    this.append(' as integer)');
  }
}

class Adapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true;
  }

  override get supportsMultipleConnections(): boolean {
    return true;
  }
}

const sync = promisify(fdatasync);

/**
 * With `synchronous=normal`, SQLite flushes its log only at checkpoints and recovers up to the last complete
 * transaction (https://sqlite.org/wal.html). Opens only the log, as closing the database file would release
 * SQLite's locks, and all descriptors here: under load, a flush could fail to open one.
 */
export function walFlusher(directory: string, path: string) {
  /** Of several flushes on one descriptor, only one would see an error. */
  const free = Array.from({ length: FLUSHES_AT_ONCE }, () => openSync(path, 'r'));
  let failureCode: string | null = null;

  function throwIfFailed(mayBeCommitted: boolean) {
    if (failureCode === null) return;
    const error = new StoreError(
      `The store in ${directory} could not be flushed to the disk (${failureCode}), so it is unknown what is stored. Look for ` +
        'faults of the disk, and restart docs-agent.',
      failureCode,
    );
    throw Object.assign(error, { mayBeCommitted });
  }

  return {
    /** Once failed, always rejects with a StoreError. */
    flush: async (): Promise<void> => {
      try {
        // Data of a failed flush may be lost even if the next one succeeds.
        if (failureCode === null) {
          const descriptor = free.shift();
          if (descriptor === undefined) throw new Error('more flushes at once than descriptors');
          await sync(descriptor).finally(() => free.push(descriptor));
        }
      } catch (error) {
        failureCode = codeOf(error) ?? 'unknown error';
      }
      throwIfFailed(true);
    },
    verify: () => throwIfFailed(false),
    close: () => {
      for (const descriptor of free.splice(0)) closeSync(descriptor);
    },
  };
}
