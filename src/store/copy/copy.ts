import { sql } from 'kysely';
import { movedTo } from '../data-dir.ts';
import type { Database } from '../engines/connection-turns.ts';
import { StoreError } from '../errors.ts';
import { openDatabase, placeOf, type StoreLocation } from '../open.ts';
import type { Queries } from '../schema/tables.ts';
import { copyTable, countRows, verifyTable } from './copy-table.ts';
import { anyQueries, type CopiedTable, tablesInOrder } from './tables-in-order.ts';

export interface CopyOptions {
  readonly nowMs: number;
  /** Called for each table that is copied and compared. */
  readonly onCopied: (table: string, rows: number) => void;
}

/**
 * Copies a store that nobody uses into an empty one on the other kind of database, in one transaction, and compares each
 * row with its origin. From the first moment on, the source refuses to start: two programs on the same jobs would do
 * everything twice. Whoever is interrupted runs it again. Throws StoreError if a store is in use or unusable, or if the
 * target is not empty.
 */
export async function copyStore(
  from: StoreLocation,
  to: StoreLocation,
  { nowMs, onCopied }: CopyOptions,
): Promise<void> {
  if ('dataDir' in from === 'dataDir' in to) throw sameKindError(to);
  await using opened = new AsyncDisposableStack();
  const open = async (location: StoreLocation): Promise<Database> => {
    const { database } = await openDatabase(location);
    opened.defer(() => database.close());
    if (database.engine === 'postgres') await requireUnused(database.queries, placeOf(location));
    return database;
  };
  const source = await open(from);
  const target = await open(to);
  const place = placeOf(to);
  const moved = await movedTo(source.queries);
  if (moved !== null && moved.place !== place) throw movedElsewhereError(placeOf(from), moved.place);
  const tables = await tablesInOrder(source.engine === 'sqlite' ? source.queries : target.queries);
  const each = async (into: Queries, work: typeof copyTable | typeof verifyTable) => {
    for (const table of tables)
      onCopied(table.name, await work(table, anyQueries(source.queries), anyQueries(into)));
  };
  const filled = await filledTables(target.queries, tables);
  // With the mark, a run before this one was killed when it had done all.
  if (filled.length > 0 && moved === null) throw notEmptyError(place, filled);
  if (filled.length > 0) {
    await each(target.queries, verifyTable);
    return;
  }
  if (moved === null) await source.queries.insertInto('moved').values({ place, at: nowMs }).execute();
  try {
    await target.queries.transaction().execute(async (tx) => {
      await each(tx, copyTable);
      if (target.engine === 'postgres') await continueSequences(tx);
    });
  } catch (error) {
    const left = await filledTables(target.queries, tables).catch(() => null);
    if (left?.length === 0) await source.queries.deleteFrom('moved').execute();
    throw error;
  }
}

async function filledTables(target: Queries, tables: readonly CopiedTable[]): Promise<readonly string[]> {
  const counts = await Promise.all(tables.map((table) => countRows(table, anyQueries(target))));
  return tables.filter((_, index) => counts[index] !== 0).map(({ name }) => name);
}

/** Throws StoreError if another docs-agent is connected: replicas query the database every second. */
async function requireUnused(queries: Queries, place: string): Promise<void> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from pg_stat_activity
    where datname = current_database() and application_name = 'docs-agent'
      and backend_start < (select backend_start from pg_stat_activity where pid = pg_backend_pid())`.execute(
    queries,
  );
  const count = rows[0]?.count ?? 0;
  if (count === 0) return;
  throw new StoreError(
    `A docs-agent uses the store in ${place} (${count} connections). Stop all replicas, and copy again.`,
    null,
    true,
  );
}

/** Else the next rows would get numbers that are taken. */
async function continueSequences(target: Queries): Promise<void> {
  const { rows } = await sql<{ table: string; column: string }>`
    select table_name as "table", column_name as "column" from information_schema.columns
    where table_schema = current_schema() and column_default like 'nextval(%'`.execute(target);
  for (const { table, column } of rows) {
    await sql`
      select setval(pg_get_serial_sequence(${table}, ${column}), max(${sql.ref(column)}))
      from ${sql.table(table)}`.execute(target);
  }
}

function sameKindError(to: StoreLocation): StoreError {
  return new StoreError(
    'dataDir' in to
      ? 'The store is in a directory already. To copy it to another one, use `docs-agent backup`.'
      : 'The store is in Postgres already. To copy it to another one, use pg_dump and pg_restore.',
  );
}

function movedElsewhereError(from: string, place: string): StoreError {
  return new StoreError(`The store in ${from} was copied to ${place} before. Go on with that one.`);
}

function notEmptyError(place: string, filled: readonly string[]): StoreError {
  return new StoreError(
    `The store in ${place} is not empty (it has rows in ${filled.join(', ')}). Name a new database, or another directory.`,
  );
}
