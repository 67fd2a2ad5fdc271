import { type CompiledQuery, type Expression, sql } from 'kysely';
import type { Queries } from '../schema/tables.ts';

/** Placeholders for values that are known only when the query runs. */
export type Values<V> = { readonly [Name in keyof V]: Expression<V[Name]> };

/** A query of Kysely, built or raw. */
type Query<Row> = { compile(db: Queries): CompiledQuery<Row> };

type Given<V> = Readonly<Record<keyof V, string | number | null>>;

/**
 * A query that is compiled once per database, and run with other values each time: for those that every claim or check
 * makes. `build` is called at the first use. It must name the values one by one, and depend on nothing else.
 */
export function prepared<V extends Given<V>, Row>(
  build: (db: Queries, values: Values<V>) => Query<Row>,
): (db: Queries, values: V) => Promise<Row[]> {
  const ask = preparedForMany<object, V, Row>((db, _, values) => build(db, values));
  return (db, values) => ask(db, [], values);
}

/** As `prepared`, about a list. It is compiled for few lengths; repeated items must make no difference. */
export function preparedForMany<Item extends Given<Item>, V extends Given<V>, Row>(
  build: (db: Queries, items: readonly Values<Item>[], values: Values<V>) => Query<Row>,
): (db: Queries, items: readonly Item[], values: V) => Promise<Row[]> {
  /** By the adapter, which all transactions of a database share, and by the number of items. */
  const compiled = new WeakMap<object, Map<number, CompiledQuery<Row>>>();
  return async (db, given, values) => {
    const items = evenly(given);
    const { adapter } = db.getExecutor();
    const byLength = compiled.get(adapter) ?? new Map<number, CompiledQuery<Row>>();
    let query = byLength.get(items.length);
    if (query === undefined) {
      const places = items.map((_, index) => placeholders<Item>(index));
      query = build(db, places, placeholders<V>(null)).compile(db);
      compiled.set(adapter, byLength.set(items.length, query));
    }
    const parameters = query.parameters.map((parameter) =>
      parameter instanceof Placeholder ? parameter.valueIn(items, values) : parameter,
    );
    return (await db.executeQuery<Row>({ ...query, parameters })).rows;
  };
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

/** To the next power of two, with the last item repeated: every length would be a statement that databases keep. */
function evenly<T>(items: readonly T[]): T[] {
  const length = items.length === 0 ? 0 : 2 ** Math.ceil(Math.log2(items.length));
  return Array.from({ length }, (_, index) => items[Math.min(index, items.length - 1)] as T);
}
