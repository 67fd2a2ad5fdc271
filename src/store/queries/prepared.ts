import { type CompiledQuery, type Expression, sql } from 'kysely';
import type { Queries } from '../schema/tables.ts';

export type Values<V> = { readonly [Name in keyof V]: Expression<V[Name]> };

type Query<Row> = { compile(db: Queries): CompiledQuery<Row> };

type Given<V> = Readonly<Record<keyof V, string | number | null>>;

/**
 * Lists are padded: repeated items must make no difference. `build` runs once per database and length; it
 * must read the values one by one and depend on nothing else.
 */
export function prepared<V extends Given<V>, Row, Item extends Given<Item> = object>(
  build: (db: Queries, values: Values<V>, items: readonly Values<Item>[]) => Query<Row>,
): (db: Queries, values: V, items?: readonly Item[]) => Promise<Row[]> {
  /** By adapter, which transactions share, and length. */
  const compiled = new WeakMap<object, Map<number, CompiledQuery<Row>>>();
  return async (db, values, items = []) => {
    const sources: readonly Readonly<Record<string, unknown>>[] = [values, ...padded(items)];
    const { adapter } = db.getExecutor();
    const byLength = compiled.get(adapter) ?? new Map<number, CompiledQuery<Row>>();
    let query = byLength.get(sources.length);
    if (query === undefined) {
      const [own, ...others] = sources.map((_, index) => placeholders(index));
      query = build(db, own as Values<V>, others as Values<Item>[]).compile(db);
      compiled.set(adapter, byLength.set(sources.length, query));
    }
    const parameters = query.parameters.map((parameter) => {
      if (!(parameter instanceof Placeholder)) return parameter;
      const { index, name } = parameter;
      const value = sources[index]?.[name];
      if (value === undefined) throw new Error(`A prepared query was run without a value for ${name}`);
      return value;
    });
    return (await db.executeQuery<Row>({ ...query, parameters })).rows;
  };
}

class Placeholder {
  readonly name: string;
  readonly index: number;

  constructor(name: string, index: number) {
    this.name = name;
    this.index = index;
  }
}

function placeholders(index: number): object {
  return new Proxy(
    {},
    {
      get: (_, name) => sql.val(new Placeholder(String(name), index)),
      ownKeys: () => {
        throw new Error('The values of a prepared query must be named one by one');
      },
    },
  );
}

export function idsOf<Id>(items: readonly { readonly id: Id }[]): Id[] {
  return items.map(({ id }) => id);
}

/** To a power of two: databases keep every statement. */
function padded<T>(items: readonly T[]): T[] {
  const length = items.length === 0 ? 0 : 2 ** Math.ceil(Math.log2(items.length));
  return Array.from({ length }, (_, index) => items[Math.min(index, items.length - 1)] as T);
}
