import { type RawBuilder, type Selectable, type SelectQueryBuilder, type SqlBool, sql } from 'kysely';
import type { Queries, Tables } from '../schema/tables.ts';
import { executePrepared, namesOf, type Query, type Source } from './prepared.ts';
import type { Tasks } from './tasks.ts';

type Row<T extends keyof Tables> = Selectable<Tables[T]>;

export type ColumnValues<T extends keyof Tables> = {
  readonly [Column in keyof Row<T>]?: Row<T>[Column] | RawBuilder<Row<T>[Column]>;
};

/** `tasks` null: outside a transaction, only for reads. */
export class Table {
  protected readonly db: Queries;
  private readonly givenTasks: Tasks | null;

  constructor(db: Queries, tasks: Tasks | null = null) {
    this.db = db;
    this.givenTasks = tasks;
  }

  protected get tasks(): Tasks {
    if (this.givenTasks === null) throw new Error('This needs a transaction');
    return this.givenTasks;
  }

  protected rows<T extends keyof Tables>(table: T, key: Partial<Tables[T]>) {
    const rows = this.db.selectFrom(table as 'home').selectAll();
    return rows.where((eb) => eb.and(key)) as unknown as SelectQueryBuilder<Tables, T, Row<T>>;
  }

  protected async row<T extends keyof Tables>(table: T, key: Partial<Tables[T]>) {
    const read = ([where]: readonly Source[]) => this.rows(table, where as typeof key);
    return (await this.execute(`read ${table}`, [key], read)).rows[0];
  }

  /** `changes` null: keeps an existing row. Returns whether a row was written. */
  protected upsert<T extends keyof Tables>(
    table: T,
    key: Partial<Tables[T]>,
    values: ColumnValues<T>,
    changes: ColumnValues<T> | null = values,
    condition?: RawBuilder<SqlBool>,
  ): Promise<boolean> {
    const name = changes === null ? `add to ${table}` : `upsert ${table}`;
    return this.write(name, [key, values, changes ?? {}], condition, ([where, row, change]) =>
      this.db
        .insertInto(table as 'home')
        .values({ ...where, ...row } as never)
        .onConflict((conflict) => {
          const existing = conflict.columns(Object.keys(key) as never);
          if (changes === null) return existing.doNothing();
          return existing.doUpdateSet(change as object).where(condition ?? ANY);
        }),
    );
  }

  protected update<T extends keyof Tables>(
    table: T,
    key: Partial<Tables[T]>,
    changes: ColumnValues<T>,
    condition?: RawBuilder<SqlBool>,
  ): Promise<boolean> {
    return this.write(`update ${table}`, [key, changes], condition, ([where, change]) => {
      const update = this.db.updateTable(table as 'home').set(change as object);
      return update.where((eb) => eb.and(where as object)).where(condition ?? ANY);
    });
  }

  protected delete<T extends keyof Tables>(
    table: T,
    key: Partial<Tables[T]>,
    condition?: RawBuilder<SqlBool>,
  ): Promise<boolean> {
    return this.write(`delete from ${table}`, [key], condition, ([where]) => {
      const deletion = this.db.deleteFrom(table as 'home');
      return deletion.where((eb) => eb.and(where as object)).where(condition ?? ANY);
    });
  }

  private async write(
    name: string,
    sources: readonly Source[],
    condition: RawBuilder<SqlBool> | undefined,
    build: (sources: readonly Source[]) => Query<unknown>,
  ) {
    const { numAffectedRows } = await this.execute(condition === undefined ? name : null, sources, build);
    return numAffectedRows !== 0n;
  }

  /** Compiled once for each name and set of columns; not for `name` null, SQL values, or `is null` in the key. */
  private execute<R>(
    name: string | null,
    sources: readonly Source[],
    build: (sources: readonly Source[]) => Query<R>,
  ) {
    const [key = {}] = sources;
    const isPlain = sources.every((source) => Object.values(source).every(isPlainValue));
    if (name === null || !isPlain || Object.values(key).includes(null)) {
      return this.db.executeQuery(build(sources).compile(this.db));
    }
    return executePrepared(this.db, [name, ...sources.map(namesOf)].join(' '), sources, build);
  }
}

function isPlainValue(value: unknown) {
  return value === null || typeof value !== 'object';
}

const ANY = sql<SqlBool>`1 = 1`;

export function isBeyond(
  columns: readonly string[],
  place: readonly unknown[] | null,
  order: '>' | '<' = '>',
): RawBuilder<SqlBool> {
  if (place === null) return ANY;
  const names = sql.join(columns.map((column) => sql.ref(column)));
  return sql`(${names}) ${sql.raw(order)} (${sql.join(place)})`;
}
