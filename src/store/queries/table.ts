import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { TakeAdvisoryLock } from '../engines/connection-turns.ts';
import type { Queries } from '../schema/tables.ts';
import type { Tasks } from './tasks/tasks.ts';

/** What the tables of one transaction share. */
export interface Shared {
  readonly tasks: Tasks;
  readonly takeAdvisoryLock: TakeAdvisoryLock;
}

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

  private inTransaction(): Shared {
    if (this.shared === null) throw new Error('This needs a transaction');
    return this.shared;
  }
}

/** Whether a row comes behind this place in the order of these columns; null: any row does. */
export function isBeyond(
  columns: readonly string[],
  place: readonly unknown[] | null,
  order: '>' | '<' = '>',
): RawBuilder<SqlBool> {
  if (place === null) return sql`1 = 1`;
  const names = sql.join(columns.map((column) => sql.ref(column)));
  return sql`(${names}) ${sql.raw(order)} (${sql.join(place)})`;
}
