import { setTimeout } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { type Kysely, sql } from 'kysely';
import { movedTo } from '../backup.ts';
import { type Database, StoreError } from '../engines/connection-turns.ts';
import { openDatabase, placeOf, type StoreLocation } from '../open.ts';
import { isBeyond } from '../queries/table.ts';
import { exactly, type Queries } from '../schema/tables.ts';

export type CopyOptions = Readonly<{
  nowMs: number;
  onCopied: (table: string, rows: number) => void;
}>;

/**
 * Copies an unused store into an empty one on the other kind of database, in one transaction, and compares
 * each row with its origin. From the first moment on, the source refuses to start: two programs on the same
 * jobs would do everything twice. An interrupted copy can be run again. Throws StoreError if a store is in
 * use or unusable, or if the target is not empty.
 */
export async function copyStore(
  from: StoreLocation,
  to: StoreLocation,
  { nowMs, onCopied }: CopyOptions,
): Promise<void> {
  if ('dataDir' in from === 'dataDir' in to) {
    throw new StoreError(
      'dataDir' in to
        ? 'The store is in a directory already. To copy it to another one, use `docs-agent backup`.'
        : 'The store is in Postgres already. To copy it to another one, use pg_dump and pg_restore.',
    );
  }
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
  if (moved !== null && moved.place !== place) {
    const places = `The store in ${placeOf(from)} was copied to ${moved.place} before.`;
    throw new StoreError(`${places} Go on with that one.`);
  }
  const tables = await tablesInOrder(source.engine === 'sqlite' ? source.queries : target.queries);
  const each = async (into: Queries, work: typeof copyTable | typeof verifyTable) => {
    for (const table of tables)
      onCopied(table.name, await work(table, anyQueries(source.queries), anyQueries(into)));
  };
  const filled = await filledTables(target.queries, tables);
  // With the mark, an earlier run was killed after the copy.
  if (filled.length > 0 && moved === null) {
    throw new StoreError(
      `The store in ${place} is not empty (it has rows in ${filled.join(', ')}). Name a new database, or another directory.`,
    );
  }
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

/** Postgres may list the connections of a program for some milliseconds after its end. */
const LOOKS_AFTER_MS = [0, 50, 200];

/** Throws StoreError if another docs-agent is connected: replicas query the database every second. */
async function requireUnused(queries: Queries, place: string): Promise<void> {
  let count = 0;
  for (const afterMs of LOOKS_AFTER_MS) {
    await setTimeout(afterMs);
    const { rows } = await sql<{ count: number }>`
      select count(*) as count from pg_stat_activity
      where datname = current_database() and application_name = 'docs-agent'
        and backend_start < (select backend_start from pg_stat_activity where pid = pg_backend_pid())`.execute(
      queries,
    );
    count = rows[0]?.count ?? 0;
    if (count === 0) return;
  }
  throw new StoreError(
    `A docs-agent uses the store in ${place} (${count} connections). Stop all replicas, and copy again.`,
    null,
    true,
  );
}

/** Otherwise new rows would reuse existing numbers. */
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

/** Few enough for SQLite's limits on the parameters and the depth of a statement. */
const ROWS_AT_ONCE = 200;

/** Copies all rows and compares each with its origin. Returns their number. */
async function copyTable(table: CopiedTable, source: AnyQueries, target: AnyQueries): Promise<number> {
  return eachPage(table, source, async (rows) => {
    await target.insertInto(table.name).values(rows.map(exactRow)).execute();
    await requireSame(table, rows, target);
  });
}

/** Throws StoreError unless both have the same rows. Returns their number. */
async function verifyTable(table: CopiedTable, source: AnyQueries, target: AnyQueries): Promise<number> {
  const count = await eachPage(table, source, (rows) => requireSame(table, rows, target));
  if ((await countRows(table, target)) !== count) throw differentError(table);
  return count;
}

async function countRows({ name }: CopiedTable, queries: AnyQueries): Promise<number> {
  const { count } = await queries
    .selectFrom(name)
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return count;
}

/** All rows, in key order, as the database sorts it. Returns their number. */
async function eachPage(
  { name, key }: CopiedTable,
  source: AnyQueries,
  work: (rows: readonly Row[]) => Promise<void>,
): Promise<number> {
  let count = 0;
  for (let last: Row | undefined; ; ) {
    const page = source
      .selectFrom(name)
      .selectAll()
      .where(isBeyond(key, last === undefined ? null : keyOf(key, last)))
      .orderBy(sql.join(key.map((column) => sql.ref(column))))
      .limit(ROWS_AT_ONCE);
    const rows = await page.execute();
    if (rows.length > 0) await work(rows);
    count += rows.length;
    if (rows.length < ROWS_AT_ONCE) return count;
    last = rows.at(-1);
  }
}

async function requireSame(table: CopiedTable, rows: readonly Row[], target: AnyQueries): Promise<void> {
  const { name, key } = table;
  const found = await target
    .selectFrom(name)
    .selectAll()
    .where((eb) =>
      eb.or(rows.map((row) => eb.and(Object.fromEntries(key.map((column) => [column, row[column]]))))),
    )
    .execute();
  const nameOf = (row: Row) => JSON.stringify(keyOf(key, row));
  const byKey = new Map(found.map((row) => [nameOf(row), row]));
  // The databases' drivers give rows of different prototypes.
  const isSame = (row: Row) => isDeepStrictEqual({ ...row }, { ...byKey.get(nameOf(row)) });
  if (!rows.every(isSame)) throw differentError(table);
}

function exactRow(row: Row): Row {
  const exact = (value: unknown) =>
    typeof value === 'number' && !Number.isInteger(value) ? exactly(value) : value;
  return Object.fromEntries(Object.entries(row).map(([column, value]) => [column, exact(value)]));
}

function keyOf(key: readonly string[], row: Row): unknown[] {
  return key.map((column) => row[column]);
}

function differentError({ name }: CopiedTable): StoreError {
  return new StoreError(
    `The two stores differ in the table ${name}. Empty the target (a new database, or another directory), and copy again.`,
  );
}

type CopiedTable = Readonly<{
  name: string;
  /** The columns of its primary key, in order. */
  key: readonly string[];
}>;

/** Queries on tables whose names are data here. */
type AnyQueries = Kysely<Record<string, Row>>;

type Row = Readonly<Record<string, unknown>>;

/**
 * What belongs to the database itself (that it can be written to, that it was copied, whose backups it has),
 * and secrets valid for minutes.
 */
const NOT_COPIED: readonly string[] = ['backup_origin', 'heartbeat', 'moved', 'step_token', 'replica'];

function anyQueries(queries: Queries): AnyQueries {
  return queries.withoutPlugins() as unknown as AnyQueries;
}

/** The schema's tables, as SQLite describes it, each after those that it refers to: Postgres makes them in no other order. */
async function tablesInOrder(sqlite: Queries): Promise<readonly CopiedTable[]> {
  const { rows } = await sql<{ name: string }>`
    select name from sqlite_schema
    where type = 'table' and name not like 'sqlite_%' and name not like 'kysely_%' order by rowid`.execute(
    sqlite,
  );
  const names = rows.map(({ name }) => name).filter((name) => !NOT_COPIED.includes(name));
  return Promise.all(names.map(async (name) => ({ name, key: await primaryKeyOf(sqlite, name) })));
}

async function primaryKeyOf(sqlite: Queries, name: string): Promise<readonly string[]> {
  const { rows } = await sql<{ name: string }>`
    select name from pragma_table_info(${name}) where pk > 0 order by pk`.execute(sqlite);
  return rows.map((column) => column.name);
}
