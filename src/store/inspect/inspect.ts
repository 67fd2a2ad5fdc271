import { accessSync, constants, existsSync, mkdtempSync, rmdirSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { sql } from 'kysely';
import { freeBytesIn } from '../backup.ts';
import { codeOf, StoreError } from '../engines/connection-turns.ts';
import { openPostgres } from '../engines/postgres.ts';
import { connect, DATABASE_FILE, OWNER_FILE, openBeside } from '../engines/sqlite.ts';
import { isBusy, sqliteError, unusableDirectory } from '../engines/sqlite-errors.ts';
import { placeOf, type StoreLocation } from '../open.ts';
import { migrations, schemaState } from '../schema/migrations.ts';
import type { Queries } from '../schema/tables.ts';
import { NO_ROWS, readFacts, type StoreFacts } from './facts.ts';
import { heldLocks } from './held-locks.ts';

/**
 * Looks at the store without changing it, even while a docs-agent runs on it. Throws StoreError if it cannot be opened,
 * read or written.
 */
export function inspectStore(location: StoreLocation, nowMs: number): Promise<StoreFacts> {
  return 'dataDir' in location
    ? inspectSqlite(location.dataDir, nowMs)
    : inspectPostgres(location.databaseUrl, nowMs);
}

async function inspectPostgres(databaseUrl: string, nowMs: number): Promise<StoreFacts> {
  const database = openPostgres(databaseUrl);
  const { queries } = database;
  try {
    const facts = await readFacts(queries, nowMs);
    const isThere = facts.schema.applied.length > 0;
    await (isThere ? tryToWrite(queries) : checkRightToCreate(queries));
    return {
      place: placeOf({ databaseUrl }),
      state: isThere ? 'writable' : 'absent',
      ...facts,
      sizeBytes: await databaseSizeOf(queries),
      freeBytes: null,
      heldLocks: await heldLocks(queries),
    };
  } finally {
    await database.close();
  }
}

class Undo extends Error {}

/** In a transaction that is rolled back, in a row that nobody else uses. */
async function tryToWrite(db: Queries): Promise<void> {
  const written = db.transaction().execute(async (tx) => {
    await tx.insertInto('heartbeat').values({ id: 0, beats: 0 }).execute();
    throw new Undo();
  });
  await written.catch((error: unknown) => {
    if (!(error instanceof Undo)) throw error;
  });
}

async function checkRightToCreate(db: Queries): Promise<void> {
  const { rows } = await sql<{ mayCreate: boolean | null }>`
    select has_schema_privilege(current_schema(), 'create') as may_create`.execute(db);
  if (rows[0]?.mayCreate) return;
  throw new StoreError(
    "The user of DATABASE_URL may not create tables. Give it the right to create tables in the database's schema.",
  );
}

async function databaseSizeOf(db: Queries): Promise<number | null> {
  const { rows } = await sql<{ size: number }>`
    select pg_database_size(current_database()) as size`.execute(db);
  return rows[0]?.size ?? null;
}

async function inspectSqlite(dataDir: string, nowMs: number): Promise<StoreFacts> {
  const directory = resolve(dataDir);
  const path = join(directory, DATABASE_FILE);
  const freeBytes = spaceFor(directory);
  const inUse = isOwned(directory);
  if (!inUse) tryToMake(directory);
  if (!existsSync(path)) {
    const schema = { applied: [], missing: Object.keys(migrations('sqlite')), unknown: [] };
    const nothing = { sizeBytes: null, heldLocks: [], ...NO_ROWS };
    return { place: directory, state: 'absent', schema, freeBytes, ...nothing };
  }
  const queries = openBeside(directory, path, inUse);
  try {
    return {
      place: directory,
      state: inUse ? 'in_use' : 'writable',
      ...(await readFacts(queries, nowMs)),
      sizeBytes: sizeOf(path) + sizeOf(`${path}-wal`),
      freeBytes,
      heldLocks: [],
    };
  } finally {
    await queries.destroy();
  }
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

function isOwned(directory: string): boolean {
  const path = join(directory, OWNER_FILE);
  if (!existsSync(path)) return false;
  try {
    using owner = connect(path, { readOnly: true });
    owner.prepare('select count(*) from sqlite_schema').get();
    return false;
  } catch (error) {
    if (isBusy(error)) return true;
    throw sqliteError(directory, error);
  }
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

/**
 * Reads the store, also beside a running docs-agent: the embedded one is opened read-only. Several queries
 * may see several moments. Throws StoreError if there is no store, or if its schema is of another version.
 */
export async function readStore<T>(
  location: StoreLocation,
  read: (queries: Queries) => Promise<T>,
): Promise<T> {
  const place = placeOf(location);
  const { queries, close } = 'dataDir' in location ? openFile(place) : openPostgres(location.databaseUrl);
  try {
    const { applied, missing, unknown } = await schemaState(queries);
    if (applied.length === 0) throw noStoreError(place);
    if (missing.length + unknown.length > 0) throw otherVersionError(place, missing.length > 0);
    return await read(queries);
  } finally {
    await close();
  }
}

function openFile(directory: string) {
  const path = join(directory, DATABASE_FILE);
  if (!existsSync(path)) throw noStoreError(directory);
  const queries = openBeside(directory, path, true);
  return { queries, close: () => queries.destroy() };
}

function noStoreError(place: string): StoreError {
  return new StoreError(`There is no store in ${place} yet: docs-agent makes it when it starts.`);
}

function otherVersionError(place: string, isOlder: boolean): StoreError {
  return new StoreError(
    isOlder
      ? `The store in ${place} was written by an older docs-agent. Start this version on it once, or run \`docs-agent migrate\`.`
      : `The store in ${place} was written by a newer docs-agent. Use that version.`,
  );
}
