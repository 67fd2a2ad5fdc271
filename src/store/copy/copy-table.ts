import { isDeepStrictEqual } from 'node:util';
import { sql } from 'kysely';
import { StoreError } from '../errors.ts';
import { exactly } from '../schema/tables.ts';
import type { AnyQueries, CopiedTable, Row } from './tables-in-order.ts';

/** Few enough for SQLite's limits on the parameters and the depth of a statement. */
const ROWS_AT_ONCE = 200;

/** Copies all rows and compares each with its origin. Returns their number. */
export async function copyTable(table: CopiedTable, source: AnyQueries, target: AnyQueries): Promise<number> {
  let count = 0;
  for await (const rows of pages(table, source)) {
    await target.insertInto(table.name).values(rows.map(exactRow)).execute();
    await requireSame(table, rows, target);
    count += rows.length;
  }
  return count;
}

/** Throws StoreError unless both have the same rows. Returns their number. */
export async function verifyTable(
  table: CopiedTable,
  source: AnyQueries,
  target: AnyQueries,
): Promise<number> {
  let count = 0;
  for await (const rows of pages(table, source)) {
    await requireSame(table, rows, target);
    count += rows.length;
  }
  if ((await countRows(table, target)) !== count) throw differentError(table);
  return count;
}

export async function countRows({ name }: CopiedTable, queries: AnyQueries): Promise<number> {
  const { count } = await queries
    .selectFrom(name)
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return count;
}

/** All rows, in the order of the key, as the database sorts it. */
async function* pages({ name, key }: CopiedTable, source: AnyQueries): AsyncGenerator<readonly Row[]> {
  const columns = sql.join(key.map((column) => sql.ref(column)));
  for (let last: Row | undefined; ; ) {
    let page = source.selectFrom(name).selectAll().limit(ROWS_AT_ONCE);
    for (const column of key) page = page.orderBy(column);
    if (last !== undefined) page = page.where(sql<boolean>`(${columns}) > (${sql.join(keyOf(key, last))})`);
    const rows = await page.execute();
    if (rows.length > 0) yield rows;
    if (rows.length < ROWS_AT_ONCE) return;
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
