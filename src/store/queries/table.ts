import { type RawBuilder, type SelectQueryBuilder, type SqlBool, sql } from 'kysely';
import type { TakeAdvisoryLock } from '../engines/connection-turns.ts';
import type { Queries, Tables } from '../schema/tables.ts';
import type { Tasks } from './tasks/tasks.ts';

/** What the tables of one transaction share. */
export type Shared = Readonly<{
  tasks: Tasks;
  takeAdvisoryLock: TakeAdvisoryLock;
}>;

type Values<T extends keyof Tables> = {
  readonly [Column in keyof Tables[T]]?: Tables[T][Column] | RawBuilder<Tables[T][Column]>;
};

/** The queries of a table. Outside of a transaction (`shared` null), it may only be read. */
export class Table {
  protected readonly db: Queries;
  private readonly shared: Shared | null;

  constructor(db: Queries, shared: Shared | null = null) {
    this.db = db;
    this.shared = shared;
  }

  protected get tasks(): Tasks {
    return this.inTransaction().tasks;
  }

  protected takeAdvisoryLock(name: string): Promise<void> {
    return this.inTransaction().takeAdvisoryLock(name);
  }

  /** The row with these values; undefined: there is none. */
  protected row<T extends keyof Tables>(table: T, key: Partial<Tables[T]>): Promise<Tables[T] | undefined> {
    const rows = this.db.selectFrom(table as 'home').selectAll();
    return rows.where((eb) => eb.and(key)).executeTakeFirst() as Promise<Tables[T] | undefined>;
  }

  /** Inserts a row, or makes these changes to the one with the same key; null: none. */
  protected async upsert<T extends keyof Tables>(
    table: T,
    key: Partial<Tables[T]>,
    values: Values<T>,
    changes: Values<T> | null = values,
  ): Promise<void> {
    await this.db
      .insertInto(table as 'home')
      .values({ ...key, ...values } as never)
      .onConflict((conflict) => {
        const known = conflict.columns(Object.keys(key) as never);
        return changes === null ? known.doNothing() : known.doUpdateSet(changes as object);
      })
      .execute();
  }

  private inTransaction(): Shared {
    if (this.shared === null) throw new Error('This needs a transaction');
    return this.shared;
  }
}

/** Whether a row comes behind this place in the order of these columns; null: any row does. */
export function isBeyond(
  columns: readonly string[],
  place: readonly unknown[] | null,
  order: '>' | '<' | '>=' = '>',
): RawBuilder<SqlBool> {
  if (place === null) return sql`1 = 1`;
  const names = sql.join(columns.map((column) => sql.ref(column)));
  return sql`(${names}) ${sql.raw(order)} (${sql.join(place)})`;
}

/** A row's place in an order: its values in the columns that the order goes by. */
export type Place = readonly (string | number)[];

export type Page<Row> = Readonly<{
  rows: readonly Row[];
  /** The place of the last row; null at the end. */
  next: Place | null;
}>;

/** The first rows behind a place, or from a value of the first column on, in the order of these columns. */
export async function readPage<T extends keyof Tables, Row>(
  query: SelectQueryBuilder<Tables, T, Row>,
  columns: readonly string[],
  from: string | number,
  after: Place | null,
  limit: number,
): Promise<Page<Row>> {
  const [first = ''] = columns;
  const rows = await query
    // The databases enter an index by a single column.
    .where(isBeyond([first], [after?.[0] ?? from], '>='))
    .where(isBeyond(columns, after))
    .orderBy(sql.join(columns.map((column) => sql.ref(column))))
    .limit(limit)
    .execute();
  const last = rows.length < limit ? undefined : (rows.at(-1) as Record<string, string | number> | undefined);
  return { rows, next: last ? columns.map((column) => last[column.split('.').at(-1) ?? ''] ?? '') : null };
}
