import { type Compilable, type CompiledQuery, type Expression, sql } from 'kysely';
import type { Queries } from '../schema/tables.ts';

/** Placeholders for values that are known only when the query runs. */
export type Values<V> = { readonly [Name in keyof V]: Expression<V[Name]> };

/** A query that is compiled once per database, and run with other values each time. */
export interface Prepared<V, Row> {
  rows(db: Queries, values: V): Promise<Row[]>;
  first(db: Queries, values: V): Promise<Row | undefined>;
  /** For queries that return no rows; returns how many it changed. */
  change(db: Queries, values: V): Promise<number>;
}

/** A query about a list, compiled for few lengths: the last item is repeated as needed. */
export interface PreparedForMany<Item, V, Row> {
  rows(db: Queries, items: readonly Item[], values: V): Promise<Row[]>;
  /** For queries that return no rows. */
  change(db: Queries, items: readonly Item[], values: V): Promise<void>;
}

export type Given<V> = Readonly<Record<keyof V, string | number | null>>;

/** `build` is called at the first use. It must name the values one by one, and depend on nothing else. */
export function prepared<V extends Given<V>, Row>(
  build: (db: Queries, values: Values<V>) => Compilable<Row>,
): Prepared<V, Row> {
  const ask = asking<never, V, Row>((db, _, values) => build(db, values));
  return {
    rows: async (db, values) => (await ask(db, [], values)).rows,
    first: async (db, values) => (await ask(db, [], values)).rows[0],
    change: async (db, values) => Number((await ask(db, [], values)).numAffectedRows ?? 0),
  };
}

/** As `prepared`. Repeated items must make no difference. */
export function preparedForMany<Item extends Given<Item>, V extends Given<V>, Row>(
  build: (db: Queries, items: readonly Values<Item>[], values: Values<V>) => Compilable<Row>,
): PreparedForMany<Item, V, Row> {
  const ask = asking(build);
  return {
    rows: async (db, items, values) => (await ask(db, evenly(items), values)).rows,
    change: async (db, items, values) => {
      await ask(db, evenly(items), values);
    },
  };
}

function asking<Item, V, Row>(
  build: (db: Queries, items: readonly Values<Item>[], values: Values<V>) => Compilable<Row>,
) {
  /** By the adapter, which all transactions of a database share, and by the number of items. */
  const compiled = new WeakMap<object, Map<number, CompiledQuery<Row>>>();
  return (db: Queries, items: readonly Item[], values: V) => {
    const { adapter } = db.getExecutor();
    const byLength = compiled.get(adapter) ?? new Map<number, CompiledQuery<Row>>();
    let query = byLength.get(items.length);
    if (query === undefined) {
      const places = items.map((_, index) => placeholders<Item>(index));
      query = build(db, places, placeholders<V>(null)).compile();
      compiled.set(adapter, byLength.set(items.length, query));
    }
    const parameters = query.parameters.map((parameter) =>
      parameter instanceof Placeholder ? parameter.valueIn(items, values) : parameter,
    );
    return db.executeQuery<Row>({ ...query, parameters });
  };
}

/** These values by name: an object of placeholders cannot be spread. */
export function pick<V, Name extends keyof V>(values: V, ...names: readonly Name[]): Pick<V, Name> {
  return Object.fromEntries(names.map((name) => [name, values[name]])) as Pick<V, Name>;
}

class Placeholder {
  private readonly name: string;
  /** Of its item, or null. */
  private readonly index: number | null;

  constructor(name: string, index: number | null) {
    this.name = name;
    this.index = index;
  }

  valueIn<Item, V>(items: readonly Item[], values: V): unknown {
    const value =
      this.index === null ? values[this.name as keyof V] : items[this.index]?.[this.name as keyof Item];
    if (value === undefined) throw new Error(`A prepared query was run without a value for ${this.name}`);
    return value;
  }
}

function placeholders<V>(index: number | null): Values<V> {
  return new Proxy({} as Values<V>, {
    get: (_, name) => sql.val(new Placeholder(String(name), index)),
    ownKeys: () => {
      throw new Error('The values of a prepared query must be named one by one');
    },
  });
}

export function idsOf<Id>(items: readonly { readonly id: Id }[]): Id[] {
  return items.map(({ id }) => id);
}

/** Every length would be a statement of its own, kept by the databases. */
function evenly<T>(items: readonly T[]): T[] {
  const length = items.length === 0 ? 0 : 2 ** Math.ceil(Math.log2(items.length));
  return Array.from({ length }, (_, index) => items[Math.min(index, items.length - 1)] as T);
}
