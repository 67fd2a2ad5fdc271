import { accessSync, constants, existsSync, mkdtempSync, rmdirSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { freeBytesIn } from '../data-dir.ts';
import {
  BUSY_TIMEOUT_MS,
  connect,
  DATABASE_FILE,
  noFlush,
  OWNER_FILE,
  queriesOn,
} from '../engines/sqlite.ts';
import { isBusy, sqliteError, unusableDirectory } from '../engines/sqlite-errors.ts';
import { codeOf } from '../errors.ts';
import { migrations } from '../schema/migrations.ts';
import { NO_ROWS, readFacts, type StoreFacts } from './facts.ts';

export async function inspectSqlite(dataDir: string, nowMs: number): Promise<StoreFacts> {
  const directory = resolve(dataDir);
  const path = join(directory, DATABASE_FILE);
  const freeBytes = spaceFor(directory);
  const inUse = isOwned(directory);
  if (!inUse) tryToMake(directory);
  if (!existsSync(path)) return absent(directory, freeBytes);
  const file = open(directory, path, inUse);
  const queries = queriesOn(file, {
    translate: (error) => sqliteError(directory, error),
    verify: () => {},
    flush: noFlush,
  });
  try {
    return {
      place: directory,
      state: inUse ? 'in_use' : 'writable',
      ...(await readFacts({ queries, engine: 'sqlite' }, nowMs)),
      sizeBytes: sizeOf(path) + sizeOf(`${path}-wal`),
      freeBytes,
      heldLocks: [],
    };
  } finally {
    await queries.destroy();
  }
}

function absent(directory: string, freeBytes: number): StoreFacts {
  return {
    place: directory,
    state: 'absent',
    schema: { applied: [], missing: Object.keys(migrations('sqlite')), unknown: [] },
    sizeBytes: null,
    freeBytes,
    heldLocks: [],
    ...NO_ROWS,
  };
}

/** The directory, or the nearest existing parent. */
function existingOf(directory: string): string {
  let existing = directory;
  while (!existsSync(existing)) existing = dirname(existing);
  return existing;
}

/** Tries to write: permissions prove nothing to root, or on a read-only file system. Throws StoreError. */
function tryToMake(directory: string): void {
  try {
    rmdirSync(mkdtempSync(join(existingOf(directory), '.docs-agent-doctor-')));
  } catch (error) {
    throw unusableDirectory(directory, codeOf(error));
  }
}

/** Bytes free on the disk. Throws StoreError if the directory, or its nearest existing parent, is unusable. */
function spaceFor(directory: string): number {
  const existing = existingOf(directory);
  if (!statSync(existing).isDirectory()) throw unusableDirectory(directory, 'ENOTDIR');
  try {
    accessSync(existing, constants.W_OK | constants.X_OK);
    return freeBytesIn(existing);
  } catch (error) {
    throw unusableDirectory(directory, codeOf(error));
  }
}

/** Whether a running docs-agent holds the directory. */
function isOwned(directory: string): boolean {
  const path = join(directory, OWNER_FILE);
  if (!existsSync(path)) return false;
  let owner: DatabaseSync | null = null;
  try {
    owner = connect(path, { readOnly: true });
    owner.prepare('select count(*) from sqlite_schema').get();
    return false;
  } catch (error) {
    if (isBusy(error)) return true;
    throw sqliteError(directory, error);
  } finally {
    owner?.close();
  }
}

/** Read-only while in use; otherwise also checks that it can be written. */
function open(directory: string, path: string, inUse: boolean): DatabaseSync {
  let file: DatabaseSync | null = null;
  try {
    file = connect(path, { readOnly: inUse, timeout: BUSY_TIMEOUT_MS });
    if (!inUse) file.exec('begin immediate; rollback');
    return file;
  } catch (error) {
    file?.close();
    throw sqliteError(directory, error);
  }
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}
