import { type CompiledQuery, type QueryResult, sql } from 'kysely';
import type { Queries } from '../schema/tables.ts';

export type Query<Row> = { compile(db: Queries): CompiledQuery<Row> };

/** By adapter, which transactions share, and shape. */
const compiled = new WeakMap<object, Map<string, CompiledQuery>>();
let preparedCount = 0;

export type Source = Readonly<Record<string, unknown>>;

/**
 * Lists are padded: repeated items must make no difference. `build` runs once per database and length, with
 * placeholders in place of the values; it must depend on nothing else.
 */
export function prepared<V extends Source, Row, Item extends Source = Source>(
  build: (db: Queries, values: V, items: readonly Item[]) => Query<Row>,
): (db: Queries, values: V, items?: readonly Item[]) => Promise<Row[]> {
  preparedCount += 1;
  const name = `prepared ${preparedCount}`;
  return async (db, values, items = []) => {
    const sources = [values, ...padded(items)];
    const buildFrom = ([own, ...others]: readonly Source[]) => build(db, own as V, others as Item[]);
    return (await executePrepared(db, `${name} ${sources.length}`, sources, buildFrom)).rows;
  };
}

/** `shape`: unique, and all that `build` depends on. */
export function executePrepared<Row>(
  db: Queries,
  shape: string,
  sources: readonly Source[],
  build: (placeholders: readonly Source[]) => Query<Row>,
): Promise<QueryResult<Row>> {
  const { adapter } = db.getExecutor();
  const byShape = compiled.get(adapter) ?? new Map<string, CompiledQuery<Row>>();
  const known = byShape.get(shape) as CompiledQuery<Row> | undefined;
  const query = known ?? build(sources.map(placeholders)).compile(db);
  if (known === undefined) compiled.set(adapter, byShape.set(shape, query));
  const parameters = query.parameters.map((parameter) => {
    if (!(parameter instanceof Placeholder)) return parameter;
    const value = sources[parameter.index]?.[parameter.name];
    if (value === undefined) throw new Error(`A prepared query has no value for ${parameter.name}`);
    return value;
  });
  return db.executeQuery({ ...query, parameters });
}

class Placeholder {
  readonly name: string;
  readonly index: number;

  constructor(name: string, index: number) {
    this.name = name;
    this.index = index;
  }
}

function placeholders(source: Source, index: number): Source {
  return Object.fromEntries(Object.keys(source).map((name) => [name, sql.val(new Placeholder(name, index))]));
}

export function namesOf(source: Source): string {
  return Object.keys(source).join();
}

export function idsOf<Id>(items: readonly { readonly id: Id }[]): Id[] {
  return items.map(({ id }) => id);
}

/** To a power of two: databases keep every statement. */
function padded<T>(items: readonly T[]) {
  if (items.length < 2) return [...items];
  const length = 2 ** Math.ceil(Math.log2(items.length));
  return Array.from({ length }, (_, index) => items[Math.min(index, items.length - 1)] as T);
}
