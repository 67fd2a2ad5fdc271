import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import type { QueryResult } from 'kysely';

/** More than the program has queries. Lists of values make some of them differ. */
const MAX_KEPT = 500;

interface Prepared {
  readonly statement: StatementSync;
  readonly hasRows: boolean;
}

/** The statements of a file, each prepared once. Throws what SQLite throws. */
export class Statements {
  private readonly file: DatabaseSync;
  private readonly prepared = new Map<string, Prepared>();

  constructor(file: DatabaseSync) {
    this.file = file;
  }

  run(sql: string): void {
    this.of(sql).statement.run();
  }

  result(sql: string, parameters: readonly SQLInputValue[]): QueryResult<unknown> {
    const { statement, hasRows } = this.of(sql);
    if (hasRows) return { rows: statement.all(...parameters) };
    const { changes, lastInsertRowid } = statement.run(...parameters);
    return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) };
  }

  private of(sql: string): Prepared {
    const kept = this.prepared.get(sql);
    if (kept !== undefined) return kept;
    const statement = this.file.prepare(sql);
    const prepared = { statement, hasRows: statement.columns().length > 0 };
    if (this.prepared.size >= MAX_KEPT) this.prepared.clear();
    this.prepared.set(sql, prepared);
    return prepared;
  }
}
