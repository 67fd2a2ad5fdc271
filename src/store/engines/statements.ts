import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import type { QueryResult } from 'kysely';

/** More than the program has queries; lists of values make variants of some. */
const MAX_KEPT = 500;

interface Prepared {
  readonly statement: StatementSync;
  readonly hasRows: boolean;
  readonly onlyReads: boolean;
}

/** Statements of a file, each prepared once. */
export class Statements {
  private readonly file: DatabaseSync;
  private readonly prepared = new Map<string, Prepared>();
  private hasWritten = false;

  constructor(file: DatabaseSync) {
    this.file = file;
  }

  run(sql: string): void {
    this.of(sql).statement.run();
  }

  /** Whether a statement may have written since the last call. */
  takeWrites(): boolean {
    const { hasWritten } = this;
    this.hasWritten = false;
    return hasWritten;
  }

  result(sql: string, parameters: readonly SQLInputValue[]): QueryResult<unknown> {
    const { statement, hasRows, onlyReads } = this.of(sql);
    this.hasWritten ||= !onlyReads;
    if (hasRows) return { rows: statement.all(...parameters) };
    const { changes, lastInsertRowid } = statement.run(...parameters);
    return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) };
  }

  private of(sql: string): Prepared {
    const kept = this.prepared.get(sql);
    if (kept !== undefined) return kept;
    const statement = this.file.prepare(sql);
    const prepared = {
      statement,
      hasRows: statement.columns().length > 0,
      onlyReads: /^\s*select\b/i.test(sql),
    };
    if (this.prepared.size >= MAX_KEPT) this.prepared.clear();
    this.prepared.set(sql, prepared);
    return prepared;
  }
}
