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
  readonly engine: Engine;
  advisoryLockIn(transaction: Queries): TakeAdvisoryLock;
  leaseClockIn(transaction: Queries): LeaseClock;
  close(): Promise<void>;
}
