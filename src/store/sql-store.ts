import type { Database, LeaseClock } from './engines/database.ts';
import { StoreError } from './errors.ts';
import type { Scheduled } from './queries/tasks/tasks.ts';
import type { Queries } from './schema/tables.ts';
import type { Store, TransactionOptions } from './store.ts';
import { Transaction } from './transaction.ts';

/**
 * Postgres undid the transaction for the sake of another: serialization failure, deadlock, its job was deleted
 * meanwhile.
 */
const CONFLICT_CODES: ReadonlySet<string | null> = new Set(['40001', '40P01', '23503']);
const MAX_ATTEMPTS = 5;

export class SqlStore implements Store {
  private readonly database: Database;
  /** Replaces the database's clock. */
  private readonly leaseClock: LeaseClock | null;
  private readonly listeners = new Set<(scheduled: Scheduled) => void>();

  constructor(database: Database, leaseClock: LeaseClock | null) {
    this.database = database;
    this.leaseClock = leaseClock;
  }

  async transaction<T>(
    work: (tx: Transaction) => Promise<T>,
    { mayBeLost = false }: TransactionOptions = {},
  ): Promise<T> {
    const { queries, unflushed } = this.database;
    const { result, scheduled } = await this.attempt(mayBeLost ? unflushed : queries, work, MAX_ATTEMPTS);
    if (scheduled.size > 0) for (const listener of this.listeners) listener(scheduled);
    return result;
  }

  onScheduled(listener: (scheduled: Scheduled) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  async check(): Promise<void> {
    await this.database.queries
      .insertInto('heartbeat')
      .values({ id: 1, beats: 1 })
      .onConflict((conflict) =>
        conflict.column('id').doUpdateSet((eb) => ({ beats: eb('heartbeat.beats', '+', 1) })),
      )
      .execute();
  }

  async close(): Promise<void> {
    await this.database.close();
  }

  private async attempt<T>(
    queries: Queries,
    work: (tx: Transaction) => Promise<T>,
    attemptsLeft: number,
  ): Promise<{ result: T; scheduled: Scheduled }> {
    let isAtCommit = false;
    try {
      // After waiting for a lock, a transaction must see what was written under it. The database default may be
      // stricter.
      const transaction = queries.transaction().setIsolationLevel('read committed');
      return await transaction.execute(async (db) => {
        const leaseClock = this.leaseClock ?? this.database.leaseClockIn(db);
        const tx = new Transaction(db, this.database.advisoryLockIn(db), leaseClock);
        const result = await work(tx);
        isAtCommit = true;
        return { result, scheduled: tx.tasks.scheduled };
      });
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      const isConflict = CONFLICT_CODES.has(error.code);
      if (isConflict && attemptsLeft > 1) return this.attempt(queries, work, attemptsLeft - 1);
      // The connection may have broken during the commit.
      error.mayBeCommitted ||= isAtCommit && this.database.engine === 'postgres' && !isConflict;
      throw error;
    }
  }
}
