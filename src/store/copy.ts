import { setTimeout } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { type Kysely, sql } from 'kysely';
import { propertyName, StoreError } from './engines/database.ts';
import { movedTo, openDatabase, placeOf, type StoreLocation } from './open.ts';
import { isBeyond } from './queries/table.ts';
import { exactly, type Queries } from './schema/tables.ts';

/**
 * Copies an unused store into an empty one on the other kind of database, in one transaction. Once begun, the
 * source refuses to open. An interrupted copy can be repeated, and leaves the target empty.
 */
export async function copyStore(
  from: StoreLocation,
  to: StoreLocation,
  { nowMs, onCopied }: { nowMs: number; onCopied: (table: string, rows: number) => void },
): Promise<void> {
  if ('dataDir' in from === 'dataDir' in to) {
    throw new StoreError(
      'dataDir' in to
        ? 'The store is in a directory already. To copy it to another one, use `docs-agent backup`.'
        : 'The store is in Postgres already. To copy it to another one, use pg_dump and pg_restore.',
    );
  }
  await using opened = new AsyncDisposableStack();
  const open = async (location: StoreLocation) => {
    const { database } = await openDatabase(location);
    opened.defer(() => database.close());
    if (database.engine === 'postgres') await requireUnused(database.queries, placeOf(location));
    return database;
  };
  const source = await open(from);
  const target = await open(to);
  const place = placeOf(to);
  const moved = await movedTo(source.queries);
  const tables = await tablesInOrder(source.engine === 'sqlite' ? source.queries : target.queries);
  const filled = await filledTables(target.queries, tables);
  if (moved !== undefined && (moved.place !== place || filled.length > 0)) {
    throw new StoreError(
      `The store in ${placeOf(from)} was copied to ${moved.place} before. Go on with that one, and do not empty it. ` +
        'If it lacks older requests, keep both stores.',
    );
  }
  if (filled.length > 0) {
    throw new StoreError(
      `The store in ${place} is not empty (it has rows in ${filled.join(', ')}). Name a new database, or another directory.`,
    );
  }
  if (moved === undefined) await source.queries.insertInto('moved').values({ place, at: nowMs }).execute();
  try {
    await target.queries.transaction().execute(async (tx) => {
      for (const table of tables)
        onCopied(table.name, await copyTable(table, anyQueries(source.queries), anyQueries(tx)));
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

/** Postgres may list closed connections for some milliseconds. */
const LOOKS_AFTER_MS = [0, 50, 200];

/** A running replica queries every second, so it is connected. */
async function requireUnused(queries: Queries, place: string) {
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

async function continueSequences(target: Queries) {
  const { rows } = await sql<{ table: string; column: string }>`
    select table_name as "table", column_name as "column" from information_schema.columns
    where table_schema = current_schema() and column_default like 'nextval(%'`.execute(target);
  for (const { table, column } of rows) {
    await sql`
      select setval(pg_get_serial_sequence(${table}, ${column}), max(${sql.ref(column)}))
      from ${sql.table(table)}`.execute(target);
  }
}

const ROWS_AT_ONCE = 200;

async function copyTable(table: CopiedTable, source: AnyQueries, target: AnyQueries) {
  const { name, key } = table;
  let count = 0;
  let rows: readonly Row[] = [];
  do {
    const last = rows.at(-1);
    rows = await source
      .selectFrom(name)
      .selectAll()
      .where(isBeyond(key, last ? keyOf(key, last) : null))
      .orderBy(sql.join(key.map((column) => sql.ref(column))))
      .limit(ROWS_AT_ONCE)
      .execute();
    if (rows.length > 0) await target.insertInto(name).values(rows.map(exactRow)).execute();
    if (!(await hasSame(table, rows, target))) throw differentError(table);
    count += rows.length;
  } while (rows.length === ROWS_AT_ONCE);
  if ((await countRows(table, target)) !== count) throw differentError(table);
  return count;
}

async function countRows({ name }: CopiedTable, queries: AnyQueries) {
  const { count } = await queries
    .selectFrom(name)
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return count;
}

async function hasSame(table: CopiedTable, rows: readonly Row[], target: AnyQueries) {
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
  // The drivers' rows have different prototypes.
  const isSame = (row: Row) => isDeepStrictEqual({ ...row }, { ...byKey.get(nameOf(row)) });
  return rows.every(isSame);
}

function exactRow(row: Row): Row {
  const exact = (value: unknown) =>
    typeof value === 'number' && !Number.isInteger(value) ? exactly(value) : value;
  return Object.fromEntries(Object.entries(row).map(([column, value]) => [column, exact(value)]));
}

function keyOf(key: readonly string[], row: Row) {
  return key.map((column) => row[column]);
}

function differentError({ name }: CopiedTable) {
  return new StoreError(
    `The two stores differ in the table ${name}. Name a new database, or another directory, and copy again.`,
  );
}

type CopiedTable = Readonly<{ name: string; key: readonly string[] }>;

type Row = Readonly<Record<string, unknown>>;

type AnyQueries = Kysely<Record<string, Row>>;

function anyQueries(queries: Queries) {
  return queries.withoutPlugins() as unknown as AnyQueries;
}

const NOT_COPIED = ['backup_origin', 'heartbeat', 'moved', 'step_token', 'replica'];

/** Only SQLite lists referenced tables first. */
async function tablesInOrder(sqlite: Queries): Promise<readonly CopiedTable[]> {
  const { rows } = await sql<{ table: string; column: string }>`
    select t.name as "table", c.name as "column"
    from sqlite_schema as t, pragma_table_info(t.name) as c
    where t.type = 'table' and t.name not like 'sqlite_%' and t.name not like 'kysely_%' and c.pk > 0
    order by t.rowid, c.pk`.execute(sqlite);
  const keys = Map.groupBy(rows, ({ table }) => table);
  return [...keys]
    .filter(([name]) => !NOT_COPIED.includes(name))
    .map(([name, key]) => ({ name, key: key.map(({ column }) => propertyName(column)) }));
}
