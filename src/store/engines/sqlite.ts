import { closeSync, existsSync, fdatasync, mkdirSync, openSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { DatabaseSync, type DatabaseSyncOptions } from 'node:sqlite';
import { promisify } from 'node:util';
import {
  CamelCasePlugin,
  type Dialect,
  Kysely,
  type LimitNode,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';
import type { Queries, Tables } from '../schema/tables.ts';
import { codeOf, type Database, StoreError } from './connection-turns.ts';
import { FLUSHES_AT_ONCE, GroupCommitDriver, type SqliteHooks } from './group-commit.ts';
import { isBusy, sqliteError, unusableDirectory } from './sqlite-errors.ts';

export const DATABASE_FILE = 'docs-agent.db';
/** Locked while the process lives; the operating system releases the lock even after a kill. */
export const OWNER_FILE = 'owner.db';
/** At startup and for `doctor`: tools such as a backup hold the database for a moment. */
export const BUSY_TIMEOUT_MS = 5_000;
/**
 * Pages (16 MiB) in the write-ahead log before a checkpoint. Many pages are rewritten often and moved once: with
 * SQLite's default of 1,000, checkpoints took a quarter of the time of a burst of commands.
 */
const CHECKPOINT_PAGES = 4_000;
/** `doctor` takes the lock for a moment to see whether the directory is in use. */
const OWNER_TIMEOUT_MS = 500;

/** Opens the database in the directory, and locks the directory until closed. */
export function openSqlite(dataDir: string): Database {
  const directory = resolve(dataDir);
  const translate = (error: unknown) => sqliteError(directory, error);
  createDirectory(directory);
  const owner = takeOwnership(directory);
  let opened: ReturnType<typeof openFlushed>;
  try {
    opened = openFlushed(directory);
  } catch (error) {
    owner.close();
    throw translate(error);
  }
  const { file, wal } = opened;
  const checkLoss = lossDetector(directory);
  const verify = () => {
    wal.verify();
    checkLoss();
  };
  const queries = queriesOn(file, { translate, verify, flush: wal.flush });
  // A transaction has the whole database to itself.
  const advisoryLockIn = () => () => Promise.resolve();
  // One process holds the directory, and its start has freed all leases.
  const leaseClockIn = () => async () => Math.round(performance.now());
  const close = async () => {
    try {
      await queries.destroy();
      wal.close();
    } finally {
      if (owner.isOpen) owner.close();
    }
  };
  const same = { queries, again: queries, background: queries };
  return { ...same, engine: 'sqlite', advisoryLockIn, leaseClockIn, close };
}

function queriesOn(file: DatabaseSync, hooks: SqliteHooks): Queries {
  return new Kysely<Tables>({ dialect: nodeSqliteDialect(file, hooks), plugins: [new CamelCasePlugin()] });
}

/**
 * The database in the directory, beside a docs-agent that may use it. Throws StoreError if it cannot be opened, or, unless
 * it is opened read-only, cannot be written.
 */
export function openBeside(directory: string, path: string, isReadOnly: boolean): Queries {
  const translate = (error: unknown) => sqliteError(directory, error);
  let file: DatabaseSync | null = null;
  try {
    file = connect(path, { readOnly: isReadOnly, timeout: BUSY_TIMEOUT_MS });
    if (!isReadOnly) file.exec('begin immediate; rollback');
    return queriesOn(file, { translate, verify: () => {}, flush: noFlush });
  } catch (error) {
    file?.close();
    throw translate(error);
  }
}

function createDirectory(directory: string): void {
  try {
    makeDirectory(directory);
  } catch (error) {
    throw unusableDirectory(directory, codeOf(error));
  }
}

/** Without Node's `recursive`, which never returns inside a directory that takes no others, such as `/proc`. */
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

function takeOwnership(directory: string): DatabaseSync {
  let owner: DatabaseSync | null = null;
  try {
    const path = join(directory, OWNER_FILE);
    makePrivate(path);
    owner = connect(path, { timeout: OWNER_TIMEOUT_MS });
    owner.exec('begin exclusive');
    return owner;
  } catch (error) {
    owner?.close();
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
 * The file holds prompts and tokens, so only this user may read it, even in an existing directory. SQLite gives the
 * files beside it the same mode. An existing file is not opened: closing it would release SQLite's locks.
 */
function makePrivate(path: string): void {
  try {
    closeSync(openSync(path, 'wx', 0o600));
  } catch {
    // It exists, or SQLite will say what is wrong.
  }
}

function openFlushed(directory: string) {
  const path = join(directory, DATABASE_FILE);
  makePrivate(path);
  using opened = new DisposableStack();
  const file = opened.use(connect(path, { timeout: BUSY_TIMEOUT_MS, enableForeignKeyConstraints: true }));
  // A commit appends to the write-ahead log, and has ended when the log is flushed: see `WalFlusher`.
  file.exec('pragma journal_mode = wal; pragma synchronous = normal');
  // SQLite opens the log at the first read.
  file.exec('select 1 from sqlite_schema');
  file.exec(`pragma wal_autocheckpoint = ${CHECKPOINT_PAGES}; pragma busy_timeout = 0`);
  const wal = walFlusher(directory, `${path}-wal`, FLUSHES_AT_ONCE);
  opened.move();
  return { file, wal };
}

/** SQLite keeps writing to a deleted file; this throws once the file is gone. */
function lossDetector(directory: string): () => void {
  const look = () => statSync(join(directory, DATABASE_FILE), { throwIfNoEntry: false });
  const opened = look();
  return () => {
    const now = look();
    if (now !== undefined && now.ino === opened?.ino && now.dev === opened.dev) return;
    throw new StoreError(
      `The store in ${directory} was removed or replaced while docs-agent ran. Nothing can be stored until ` +
        'docs-agent is restarted; restore the directory from a backup first, or it starts empty.',
    );
  };
}

/**
 * Temporary data stays in memory: where only the data directory is writable, statements that need some, such as an
 * upsert with `returning`, would fail.
 */
export function connect(path: string, options: DatabaseSyncOptions = {}): DatabaseSync {
  const connection = new DatabaseSync(path, options);
  connection.exec('pragma temp_store = memory');
  return connection;
}

/** For readers, and for those who flush the file as a whole. */
export const noFlush = () => Promise.resolve();

export function nodeSqliteDialect(file: DatabaseSync, hooks: SqliteHooks): Dialect {
  return {
    createDriver: () => new GroupCommitDriver(file, hooks),
    createQueryCompiler: () => new QueryCompiler(),
    createAdapter: () => new Adapter(),
    createIntrospector: (db: Kysely<unknown>) => new SqliteIntrospector(db),
  };
}

class QueryCompiler extends SqliteQueryCompiler {
  /** SQLite has no row locks: a transaction has the whole database to itself. */
  protected override visitSelectModifier(): void {}

  /** For a plain parameter, SQLite would prepare the statement again at each use, which takes longer than the rest. */
  protected override visitLimit({ limit }: LimitNode): void {
    this.append('limit cast(');
    this.visitNode(limit);
    this.append(' as integer)');
  }
}

class Adapter extends SqliteAdapter {
  /** Kysely assumes otherwise, but SQLite rolls back schema changes like any other. */
  override get supportsTransactionalDdl(): boolean {
    return true;
  }

  /** The driver serialises connections itself, as it must know the waiters. */
  override get supportsMultipleConnections(): boolean {
    return true;
  }
}

const sync = promisify(fdatasync);

export interface WalFlusher {
  /**
   * Resolves once all that was appended to the write-ahead log before the call is on disk. Rejects with a StoreError, and
   * from then on always: what is on disk is unknown, and the file must be opened again.
   */
  flush(): Promise<void>;
  verify(): void;
  close(): void;
}

/**
 * Flushes SQLite's write-ahead log without holding up the event loop, as SQLite itself would. With `synchronous=normal`
 * it leaves that to the checkpoints, and after a power cut it recovers the log up to its last complete transaction
 * (https://sqlite.org/wal.html). The descriptor is of the log alone: opening and closing the database file would release
 * SQLite's locks. SQLite keeps the log for as long as the database is open, so `path` exists by then.
 *
 * All descriptors are opened here: a flush that had to open one could fail under load, where nothing is wrong with the
 * disk. Throws if that fails.
 */
export function walFlusher(directory: string, path: string, flushesAtOnce: number): WalFlusher {
  /** Descriptors without a flush. Of several flushes at one descriptor, only one would learn of an error. */
  const free = Array.from({ length: flushesAtOnce }, () => openSync(path, 'r'));
  /** The code of a flush that failed. */
  let failed: string | null = null;

  function failure(code: string): StoreError {
    return new StoreError(
      `The store in ${directory} could not be flushed to the disk (${code}), so it is unknown what is stored. Look for ` +
        'faults of the disk, and restart docs-agent.',
      code,
    );
  }

  return {
    flush: async () => {
      try {
        // What a failed flush should have written may be lost even if the next one succeeds, and with it
        // everything after.
        if (failed === null) {
          const descriptor = free.shift();
          if (descriptor === undefined) throw new Error('more flushes at once than descriptors');
          await sync(descriptor).finally(() => free.push(descriptor));
        }
      } catch (error) {
        failed = codeOf(error) ?? 'unknown error';
      }
      if (failed !== null) throw Object.assign(failure(failed), { mayBeCommitted: true });
    },
    verify: () => {
      if (failed !== null) throw failure(failed);
    },
    close: () => {
      for (const descriptor of free.splice(0)) closeSync(descriptor);
    },
  };
}
