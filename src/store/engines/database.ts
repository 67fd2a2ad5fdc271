import type { Queries } from '../schema/tables.ts';

export type Engine = 'sqlite' | 'postgres';

/**
 * Takes a named lock held until commit; serialises check-then-insert. A no-op on SQLite, which runs one transaction at
 * a time.
 */
export type TakeAdvisoryLock = (name: string) => Promise<void>;

/**
 * The clock of leases, in milliseconds since an arbitrary moment: shared by all users of the database, and never set.
 */
export type LeaseClock = () => Promise<number>;

/** What both databases have in common. Their errors surface as StoreError. */
export interface Database {
  readonly queries: Queries;
  /**
   * The same database, for transactions that end before they are on disk: a power cut, or a crash of the database, may
   * undo them, unless one of `queries` was committed later.
   */
  readonly unflushed: Queries;
  /** The same two for a request that has waited for a lock in vain: it gets a connection after all other requests. */
  readonly again: Pick<Database, 'queries' | 'unflushed'>;
  /** The same two for work that nobody waits for: it gets a connection after all requests, and never the last one. */
  readonly background: Pick<Database, 'queries' | 'unflushed'>;
  readonly engine: Engine;
  advisoryLockIn(transaction: Queries): TakeAdvisoryLock;
  leaseClockIn(transaction: Queries): LeaseClock;
  close(): Promise<void>;
}
