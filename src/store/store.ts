import type { Scheduled } from './queries/tasks/tasks.ts';
import type { Transaction } from './transaction.ts';

export type { CallOutcome, LedgerCall } from './queries/calls/calls.ts';
export type { StaleReceipt } from './queries/follow-ups.ts';
export type { Thread } from './queries/jobs.ts';
export {
  type ClaimedTask,
  type Lease,
  LeaseLostError,
  levelsOf,
  type TaskGroup,
  type TaskKind,
  taskKinds,
} from './queries/tasks/task.ts';
export type { Claim, Scheduled, Tasks } from './queries/tasks/tasks.ts';
export type { Transaction } from './transaction.ts';

/** The durable memory of the program. Every write happens in a transaction; none awaits the network. */
export interface Store {
  /**
   * Runs `work` in one transaction: all of it is committed, durably, or none of it.
   * An error from `work` undoes the transaction and is thrown on; errors of the database are StoreErrors, of
   * which one that is `mayBeCommitted` leaves open whether it was undone.
   * When Postgres undoes the transaction for the sake of others, `work` is run again from its start, so
   * nothing outside of `tx` may depend on how often it runs. It must not open another transaction.
   */
  transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T>;
  /** Calls `listener`, which must not throw, after each commit that scheduled tasks. Returns what ends it. */
  onScheduled(listener: (scheduled: Scheduled) => void): () => void;
  /** Throws if the store cannot be written. */
  check(): Promise<void>;
  close(): Promise<void>;
}
