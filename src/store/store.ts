import { StoreError } from './errors.ts';
import type { HeldLock } from './inspect/held-locks.ts';
import type { Scheduled } from './queries/tasks/tasks.ts';
import type { Transaction } from './transaction.ts';

export type { HeldLock } from './inspect/held-locks.ts';
export type { LedgerCall } from './queries/calls/calls.ts';
export type { StaleReceipt } from './queries/follow-ups.ts';
export type { LockedJob, Thread } from './queries/jobs.ts';
export {
  type ClaimedTask,
  type Lease,
  LeaseLostError,
  levelsOf,
  type TaskGroup,
} from './queries/tasks/task.ts';
export type { Claim, Scheduled, Tasks } from './queries/tasks/tasks.ts';
export type { Transaction } from './transaction.ts';

export interface TransactionOptions {
  /**
   * It ends once it is committed, without waiting for the disk. A crash of the program does it no harm. A
   * power cut, or a crash of the database, may undo it, but then also everything committed after it. For work
   * that can be repeated: what must happen only once waits for a later commit without this option.
   */
  readonly mayBeLost?: boolean;
  /** Nobody waits for it: requests get the few connections of a database before it. */
  readonly isBackground?: boolean;
}

/** The durable state of the program. Every write happens in a transaction; none awaits the network. */
export interface Store {
  /**
   * Runs `work` in one transaction: all of it is committed, durably, or none of it. An error from `work` rolls it back
   * and is rethrown. Database errors are StoreErrors; with `mayBeCommitted`, the outcome is unknown.
   * After a conflict on Postgres, `work` runs again from its start, so nothing outside of `tx` may depend on how often
   * it runs. It must not open another transaction.
   */
  transaction<T>(work: (tx: Transaction) => Promise<T>, options?: TransactionOptions): Promise<T>;
  /**
   * Calls `listener`, which must not throw, after each commit that scheduled tasks. Returns the unsubscribe function.
   */
  onScheduled(listener: (scheduled: Scheduled) => void): () => void;
  /** Throws if the store cannot be written. */
  check(): Promise<void>;
  /** What other sessions of the database have kept locked for seconds, holding up its work. */
  heldLocks(): Promise<readonly HeldLock[]>;
  close(): Promise<void>;
}

/** The same store, for background work. */
export function backgroundStore(store: Store): Store {
  return {
    ...delegated(store),
    transaction: (work, options) => store.transaction(work, { ...options, isBackground: true }),
  };
}

function delegated(store: Store): Omit<Store, 'transaction'> {
  return {
    onScheduled: (listener) => store.onScheduled(listener),
    check: () => store.check(),
    heldLocks: () => store.heldLocks(),
    close: () => store.close(),
  };
}

export const transactionOutcomes = ['done', 'undone', 'failed', 'disk_full'] as const;

/** `undone`: by the program. `failed`: by the store. `disk_full`: the same, for lack of space. */
export interface EndedTransaction {
  readonly outcome: (typeof transactionOutcomes)[number];
  readonly durationMs: number;
}

/** Reports how each transaction of the store ends, the write of `check` included. */
export function instrumentedStore(store: Store, report: (transacted: EndedTransaction) => void): Store {
  const reported = async <T>(work: () => Promise<T>): Promise<T> => {
    const startedAtMs = performance.now();
    const ended = (outcome: EndedTransaction['outcome']) =>
      report({ outcome, durationMs: performance.now() - startedAtMs });
    try {
      const result = await work();
      ended('done');
      return result;
    } catch (error) {
      ended(outcomeOf(error));
      throw error;
    }
  };
  return {
    ...delegated(store),
    transaction: (work, options) => reported(() => store.transaction(work, options)),
    check: () => reported(() => store.check()),
  };
}

function outcomeOf(error: unknown): EndedTransaction['outcome'] {
  if (!(error instanceof StoreError)) return 'undone';
  return error.isDiskFull ? 'disk_full' : 'failed';
}
