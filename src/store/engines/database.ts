import type { Queries } from '../schema/tables.ts';

export type Engine = 'sqlite' | 'postgres';

/**
 * Takes a named lock, held until the transaction ends; serialises check-then-insert. SQLite runs one transaction at a
 * time, so it needs none.
 */
export type TakeAdvisoryLock = (name: string) => Promise<void>;

/**
 * The time by which leases are counted, in milliseconds since some moment. It is the same for all who share the
 * database, and nobody's setting of a clock moves it.
 */
export type LeaseClock = () => Promise<number>;

/** What the two databases have in common. Their errors come out of it as StoreError. */
export interface Database {
  readonly queries: Queries;
  readonly engine: Engine;
  /** Whether a commit can fail without a word of what became of it: the connection broke. */
  readonly isRemote: boolean;
  advisoryLockIn(transaction: Queries): TakeAdvisoryLock;
  leaseClockIn(transaction: Queries): LeaseClock;
  close(): Promise<void>;
}
