import { sql } from 'kysely';
import { openPostgres } from '../engines/postgres.ts';
import { StoreError } from '../errors.ts';
import { placeOf, type StoreLocation } from '../open.ts';
import type { Queries } from '../schema/tables.ts';
import { readFacts, type StoreFacts } from './facts.ts';
import { heldLocks } from './held-locks.ts';
import { inspectSqlite } from './sqlite.ts';

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
    const facts = await readFacts(database, nowMs);
    const isThere = facts.schema.applied.length > 0;
    await (isThere ? tryToWrite(queries) : checkRightToCreate(queries));
    return {
      place: placeOf({ databaseUrl }),
      state: isThere ? 'writable' : 'absent',
      ...facts,
      sizeBytes: await sizeOf(queries),
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
  const { rows } = await sql<{ may_create: boolean | null }>`
    select has_schema_privilege(current_schema(), 'create') as may_create`.execute(db);
  if (rows[0]?.may_create) return;
  throw new StoreError(
    "The user of DATABASE_URL may not create tables. Give it the right to create tables in the database's schema.",
  );
}

async function sizeOf(db: Queries): Promise<number | null> {
  const { rows } = await sql<{ size: number }>`
    select pg_database_size(current_database()) as size`.execute(db);
  return rows[0]?.size ?? null;
}
