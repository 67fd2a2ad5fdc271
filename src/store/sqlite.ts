import { existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { HandleEmptyInListsPlugin, Kysely, replaceWithNoncontingentExpression } from 'kysely';
import type { Database } from './database.ts';
import { codeOf, StoreError } from './errors.ts';
import { nodeSqliteDialect } from './sqlite-dialect.ts';
import type { Tables } from './tables.ts';

const DATABASE_FILE = 'docs-agent.db';
/** Locked for as long as the process lives; the operating system releases it, even after a kill. */
const OWNER_FILE = 'owner.db';
/** For tools such as a backup that hold the database for a moment. */
const BUSY_TIMEOUT_MS = 5_000;

const SQLITE_BUSY = 5;
/** What Node says where no directory can be made. */
const UNMAKEABLE = new Set(['EACCES', 'ENOENT', 'EPERM', 'EROFS']);

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
  const queries = new Kysely<Tables>({
    dialect: nodeSqliteDialect(file, { translate, verify: lossDetector(directory) }),
    plugins: [new HandleEmptyInListsPlugin({ strategy: replaceWithNoncontingentExpression })],
  });
  const close = async () => {
    await queries.destroy();
    if (owner.isOpen) owner.close();
  };
  return { queries, sequenceType: 'integer', isRemote: false, close };
}

function createDirectory(directory: string): void {
  try {
    makeDirectory(directory);
  } catch (error) {
    const code = codeOf(error);
    throw new StoreError(
      `The data directory ${directory} cannot be used: ${directoryProblem(code)}. ` +
        'Set DATA_DIR to a directory on a local disk in which docs-agent may write.',
      code,
    );
  }
}

/** Not with Node's `recursive`: where a directory exists that takes no others, as `/proc`, it never returns. */
function makeDirectory(directory: string): void {
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

function directoryProblem(code: string | null): string {
  if (code === 'EEXIST' || code === 'ENOTDIR') return 'it, or a part of its path, is not a directory';
  if (code !== null && UNMAKEABLE.has(code)) return 'it cannot be created';
  return `it cannot be created (${code ?? 'unknown error'})`;
}

function takeOwnership(directory: string): DatabaseSync {
  let owner: DatabaseSync | null = null;
  try {
    owner = new DatabaseSync(join(directory, OWNER_FILE));
    owner.exec('begin exclusive');
    return owner;
  } catch (error) {
    owner?.close();
    if (resultCode(error) !== SQLITE_BUSY) throw sqliteError(directory, error);
    throw new StoreError(
      `The data directory ${directory} is in use by another docs-agent. Stop that one, or give this one ` +
        'another DATA_DIR. Several replicas of one docs-agent need a Postgres database: set DATABASE_URL.',
      null,
      true,
    );
  }
}

function openFile(path: string): DatabaseSync {
  const file = new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS, enableForeignKeyConstraints: true });
  try {
    file.exec('pragma journal_mode = wal; pragma synchronous = full');
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

function sqliteError(directory: string, error: unknown): StoreError {
  const message = error instanceof Error ? error.message : String(error);
  const code = resultCode(error);
  const advice =
    (code === null ? null : ADVICE[code]) ?? 'If it stays so, restore the directory from a backup.';
  return new StoreError(
    `The store in ${directory} failed: ${message}. ${advice}`,
    code?.toString() ?? null,
    code === SQLITE_BUSY,
  );
}

/** SQLite's primary result code. */
function resultCode(error: unknown): number | null {
  const code = error instanceof Error && 'errcode' in error ? error.errcode : null;
  return typeof code === 'number' ? code & 0xff : null;
}

const DAMAGED = 'The file is damaged: restore the directory from a backup, or set DATA_DIR to a new one.';
const NOT_WRITABLE = 'Let docs-agent write in this directory, or set DATA_DIR to another one.';

/** By SQLite's primary result codes. */
const ADVICE: Readonly<Record<number, string>> = {
  [SQLITE_BUSY]: 'Another program holds the database for writing: end it.',
  8: NOT_WRITABLE,
  10: 'Look for faults of the disk, and use a local one.',
  11: DAMAGED,
  13: 'Make room on the disk.',
  14: NOT_WRITABLE,
  26: DAMAGED,
};
