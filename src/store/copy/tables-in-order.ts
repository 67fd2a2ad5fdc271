import { type Kysely, sql } from 'kysely';
import type { Queries } from '../schema/tables.ts';

/** A table that is copied whole. */
export interface CopiedTable {
  readonly name: string;
  /** The columns of its primary key, in their order. */
  readonly key: readonly string[];
}

/** Queries on tables whose names are data here. */
export type AnyQueries = Kysely<Record<string, Row>>;

export type Row = Readonly<Record<string, unknown>>;

/**
 * What belongs to the database itself (that it can be written to, that it was copied, whose backups are of it), and
 * secrets of a few minutes.
 */
const NOT_COPIED: readonly string[] = ['backup_origin', 'heartbeat', 'moved', 'step_token', 'replica'];

export function anyQueries(queries: Queries): AnyQueries {
  return queries as unknown as AnyQueries;
}

/** The tables of the schema, as SQLite describes it: each behind those that it refers to. */
export async function tablesInOrder(sqlite: Queries): Promise<readonly CopiedTable[]> {
  const names = await sql<{ name: string }>`
    select name from sqlite_schema
    where type = 'table' and name not like 'sqlite_%' and name not like 'kysely_%'`.execute(sqlite);
  const waiting = new Map<string, ReadonlySet<string>>();
  for (const { name } of names.rows) {
    if (!NOT_COPIED.includes(name)) waiting.set(name, await parentsOf(sqlite, name));
  }
  const ordered: CopiedTable[] = [];
  while (waiting.size > 0) {
    const ready = [...waiting].filter(([, parents]) => [...parents].every((parent) => !waiting.has(parent)));
    if (ready.length === 0) throw new Error(`Tables refer to each other: ${[...waiting.keys()].join(', ')}`);
    for (const [name] of ready) {
      ordered.push({ name, key: await keyOf(sqlite, name) });
      waiting.delete(name);
    }
  }
  return ordered;
}

async function parentsOf(sqlite: Queries, name: string): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ table: string }>`select "table" from pragma_foreign_key_list(${name})`.execute(
    sqlite,
  );
  return new Set(rows.map(({ table }) => table).filter((table) => table !== name));
}

async function keyOf(sqlite: Queries, name: string): Promise<readonly string[]> {
  const { rows } = await sql<{ name: string }>`
    select name from pragma_table_info(${name}) where pk > 0 order by pk`.execute(sqlite);
  return rows.map((column) => column.name);
}
