import type { Database, LeaseClock } from './engines/connection-turns.ts';
import { StoreError } from './errors.ts';
import { type HeldLock, heldLocks } from './inspect/held-locks.ts';
import type { Scheduled } from './queries/tasks/tasks.ts';
import type { Queries } from './schema/tables.ts';
import type { Store, TransactionOptions } from './store.ts';
import { createTransaction, type Transaction } from './transaction.ts';

/**
 * Postgres undid the transaction in favour of another: serialization failure, deadlock, or its job was
 * deleted meanwhile. A lock that did not come in time is separate.
 */
const CONFLICT_CODES: ReadonlySet<string | null> = new Set(['40001', '40P01', '23503']);
const MAX_ATTEMPTS = 5;
/**
 * How long a request tries to get a lock, including waits for a connection: its answer must be there while
 * Slack waits.
 */
const LOCK_WITHIN_MS = 1_500;
/** A task returns later anyway. */
const BACKGROUND_LOCK_ATTEMPTS = 3;

export class SqlStore implements Store {
  private readonly database: Database;
  /** Replaces the database's clock. */
  private readonly leaseClock: LeaseClock | null;
  private readonly listeners = new Set<(scheduled: Scheduled) => void>();

  constructor(database: Database, leaseClock: LeaseClock | null) {
    this.database = database;
    this.leaseClock = leaseClock;
  }

  async transaction<T>(work: (tx: Transaction) => Promise<T>, options: TransactionOptions = {}): Promise<T> {
    const { result, scheduled } = await this.attempt(options, async (db) => {
      const leaseClock = this.leaseClock ?? this.database.leaseClockIn(db);
      const tx = createTransaction(db, this.database.advisoryLockIn(db), leaseClock);
      return { result: await work(tx), scheduled: tx.tasks.scheduled };
    });
    if (scheduled.size > 0) for (const listener of this.listeners) listener(scheduled);
    return result;
  }

  onScheduled(listener: (scheduled: Scheduled) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  async check(): Promise<void> {
    await this.attempt({}, (db) =>
      db
        .insertInto('heartbeat')
        .values({ id: 1, beats: 1 })
        .onConflict((conflict) =>
          conflict.column('id').doUpdateSet((eb) => ({ beats: eb('heartbeat.beats', '+', 1) })),
        )
        .execute(),
    );
  }

  async heldLocks(): Promise<readonly HeldLock[]> {
    const { engine, queries } = this.database;
    return engine === 'postgres' ? heldLocks(queries) : [];
  }

  async close(): Promise<void> {
    await this.database.close();
  }

  private async attempt<T>(
    options: TransactionOptions,
    work: (db: Queries) => Promise<T>,
    connections = options.isBackground ? this.database.background : this.database,
    attemptsLeft = MAX_ATTEMPTS,
    sinceMs = performance.now(),
  ): Promise<T> {
    const queries = options.mayBeLost ? connections.unflushed : connections.queries;
    let isAtCommit = false;
    try {
      // After waiting for a lock, a transaction must see what was written under it. The database default may
      // be stricter.
      const transaction = queries.transaction().setIsolationLevel('read committed');
      return await transaction.execute(async (db) => {
        const result = await work(db);
        isAtCommit = true;
        return result;
      });
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      const isConflict = CONFLICT_CODES.has(error.code) || error.isLocked;
      const isWaitingRequest = error.isLocked && !options.isBackground;
      const mayTryAgain = isWaitingRequest
        ? performance.now() < sinceMs + LOCK_WITHIN_MS
        : attemptsLeft > (error.isLocked ? MAX_ATTEMPTS - BACKGROUND_LOCK_ATTEMPTS + 1 : 1);
      // Others go first meanwhile.
      const next = isWaitingRequest ? this.database.again : connections;
      if (isConflict && mayTryAgain) return this.attempt(options, work, next, attemptsLeft - 1, sinceMs);
      // The connection may have broken during the commit.
      error.mayBeCommitted ||= isAtCommit && this.database.engine === 'postgres' && !isConflict;
      throw error;
    }
  }
}
