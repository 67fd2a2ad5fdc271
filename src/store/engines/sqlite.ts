import { closeSync, existsSync, mkdirSync, openSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { DatabaseSync, type DatabaseSyncOptions } from 'node:sqlite';
import { Kysely } from 'kysely';
import { codeOf, StoreError } from '../errors.ts';
import type { Queries, Tables } from '../schema/tables.ts';
import type { Database } from './database.ts';
import type { SqliteHooks } from './group-commit.ts';
import { nodeSqliteDialect } from './sqlite-dialect.ts';
import { isBusy, sqliteError, unusableDirectory } from './sqlite-errors.ts';

export const DATABASE_FILE = 'docs-agent.db';
/** Locked for as long as the process lives; the operating system releases it, even after a kill. */
export const OWNER_FILE = 'owner.db';
/** At a start, and for `doctor`: tools such as a backup hold the database for a moment. */
export const BUSY_TIMEOUT_MS = 5_000;
/**
 * How many pages (16 MiB) the write-ahead log takes before they are moved into the file. Many are written again and
 * again, and moved once: with SQLite's own 1,000, a quarter or more of the time of a burst of commands went into it.
 */
const CHECKPOINT_PAGES = 4_000;
/** For `doctor`, which looks for a moment whether somebody holds the directory. */
const OWNER_TIMEOUT_MS = 500;

/** Opens the database in the directory, and holds the directory against other processes until closed. */
export function openSqlite(dataDir: string): Database {
  const directory = resolve(dataDir);
  const translate = (error: unknown) => sqliteError(directory, error);
  createDirectory(directory);
  const owner = takeOwnership(directory);
  let file: DatabaseSync;
  try {
    file = openFile(join(directory, DATABASE_FILE));
  } catch (error) {
    owner.close();
    throw translate(error);
  }
  const queries = queriesOn(file, { translate, verify: lossDetector(directory) });
  // A transaction has the whole database for itself.
  const advisoryLockIn = () => () => Promise.resolve();
  // One process has the directory, and its start has freed all leases.
  const leaseClockIn = () => async () => Math.round(performance.now());
  const close = async () => {
    await queries.destroy();
    if (owner.isOpen) owner.close();
  };
  return { queries, engine: 'sqlite', isRemote: false, advisoryLockIn, leaseClockIn, close };
}

export function queriesOn(file: DatabaseSync, hooks: SqliteHooks): Queries {
  return new Kysely<Tables>({ dialect: nodeSqliteDialect(file, hooks) });
}

function createDirectory(directory: string): void {
  try {
    makeDirectory(directory);
  } catch (error) {
    throw unusableDirectory(directory, codeOf(error));
  }
}

/** Not with Node's `recursive`: where a directory exists that takes no others, as `/proc`, it never returns. */
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
 * It holds prompts and tokens: nobody else may read it, even in a directory that was there before. SQLite gives the
 * files beside it the same rights. One that is there already is not touched: to close it would end SQLite's locks.
 */
function makePrivate(path: string): void {
  try {
    closeSync(openSync(path, 'wx', 0o600));
  } catch {
    // It is there, or SQLite will say what is wrong.
  }
}

function openFile(path: string): DatabaseSync {
  makePrivate(path);
  const file = connect(path, { timeout: BUSY_TIMEOUT_MS, enableForeignKeyConstraints: true });
  try {
    file.exec('pragma journal_mode = wal; pragma synchronous = full');
    file.exec(`pragma wal_autocheckpoint = ${CHECKPOINT_PAGES}; pragma busy_timeout = 0`);
    return file;
  } catch (error) {
    file.close();
    throw error;
  }
}

/** SQLite goes on writing into a file that was deleted; this throws once the file is not there any more. */
function lossDetector(directory: string): () => void {
  const look = () => statSync(join(directory, DATABASE_FILE), { throwIfNoEntry: false });
  const opened = look();
  return () => {
    const now = look();
    if (now !== undefined && now.ino === opened?.ino && now.dev === opened.dev) return;
    throw new StoreError(
      `The store in ${directory} was removed or replaced while docs-agent ran. Nothing can be stored until ` +
        'docs-agent is started again; restore the directory from a backup before that, or it starts empty.',
    );
  };
}

/**
 * Every connection keeps its temporary data in memory: where only the data directory can be written, SQLite would find
 * no folder for it, and statements fail that need some, such as an upsert that returns what it wrote.
 */
export function connect(path: string, options: DatabaseSyncOptions = {}): DatabaseSync {
  const connection = new DatabaseSync(path, options);
  connection.exec('pragma temp_store = memory');
  return connection;
}
