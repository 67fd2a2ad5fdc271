import { type RawBuilder, type Selectable, type SelectQueryBuilder, type SqlBool, sql } from 'kysely';
import type { Queries, Tables } from '../schema/tables.ts';
import type { Tasks } from './tasks/tasks.ts';

export type Shared = Readonly<{
  tasks: Tasks;
  takeLock: (name: string) => Promise<void>;
}>;

type Row<T extends keyof Tables> = Selectable<Tables[T]>;

export type Values<T extends keyof Tables> = {
  readonly [Column in keyof Row<T>]?: Row<T>[Column] | RawBuilder<Row<T>[Column]>;
};

/** `shared` null: outside a transaction, only for reads. */
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

  protected takeLock(name: string): Promise<void> {
    return this.inTransaction().takeLock(name);
  }

  private inTransaction(): Shared {
    if (this.shared === null) throw new Error('This needs a transaction');
    return this.shared;
  }

  protected rows<T extends keyof Tables>(table: T, key: Partial<Tables[T]>) {
    const rows = this.db.selectFrom(table as 'home').selectAll();
    return rows.where((eb) => eb.and(key)) as unknown as SelectQueryBuilder<Tables, T, Row<T>>;
  }

  protected row<T extends keyof Tables>(table: T, key: Partial<Tables[T]>) {
    return this.rows(table, key).executeTakeFirst();
  }

  /** `changes` null: keeps an existing row. Returns whether a row was written. */
  protected async upsert<T extends keyof Tables>(
    table: T,
    key: Partial<Tables[T]>,
    values: Values<T>,
    changes: Values<T> | null = values,
    condition: RawBuilder<SqlBool> = ANY,
  ): Promise<boolean> {
    const { numInsertedOrUpdatedRows } = await this.db
      .insertInto(table as 'home')
      .values({ ...key, ...values } as never)
      .onConflict((conflict) => {
        const existing = conflict.columns(Object.keys(key) as never);
        return changes ? existing.doUpdateSet(changes as object).where(condition) : existing.doNothing();
      })
      .executeTakeFirst();
    return numInsertedOrUpdatedRows !== 0n;
  }

  protected async update<T extends keyof Tables>(
    table: T,
    key: Partial<Tables[T]>,
    changes: Values<T>,
    condition: RawBuilder<SqlBool> = ANY,
  ): Promise<boolean> {
    const update = this.db.updateTable(table as 'home').set(changes as object);
    const { numUpdatedRows } = await update
      .where((eb) => eb.and(key))
      .where(condition)
      .executeTakeFirst();
    return numUpdatedRows > 0n;
  }

  protected async delete<T extends keyof Tables>(
    table: T,
    key: Partial<Tables[T]>,
    condition: RawBuilder<SqlBool> = ANY,
  ): Promise<boolean> {
    const deletion = this.db.deleteFrom(table as 'home').where((eb) => eb.and(key));
    return (await deletion.where(condition).executeTakeFirst()).numDeletedRows > 0n;
  }
}

const ANY = sql<SqlBool>`1 = 1`;

export function isBeyond(
  columns: readonly string[],
  place: readonly unknown[] | null,
  order: '>' | '<' | '>=' = '>',
): RawBuilder<SqlBool> {
  if (place === null) return ANY;
  const names = sql.join(columns.map((column) => sql.ref(column)));
  return sql`(${names}) ${sql.raw(order)} (${sql.join(place)})`;
}

export type Place = readonly (string | number)[];

export type Page<Row> = Readonly<{ rows: readonly Row[]; next: Place | null }>;

/** `from`: the least value of the first column. */
export async function readPage<T extends keyof Tables, Row>(
  query: SelectQueryBuilder<Tables, T, Row>,
  columns: readonly string[],
  from: string | number,
  after: Place | null,
  limit: number,
): Promise<Page<Row>> {
  const [first = ''] = columns;
  const rows = await query
    // Both databases seek an index by a single column.
    .where(isBeyond([first], [after?.[0] ?? from], '>='))
    .where(isBeyond(columns, after))
    .orderBy(sql.join(columns.map((column) => sql.ref(column))))
    .limit(limit)
    .execute();
  const last = rows.length < limit ? undefined : (rows.at(-1) as Record<string, string | number> | undefined);
  return { rows, next: last ? columns.map((column) => last[column.split('.').at(-1) ?? ''] ?? '') : null };
}
