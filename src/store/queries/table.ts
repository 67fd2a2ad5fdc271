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
