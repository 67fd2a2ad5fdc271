import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import type { CompiledQuery, DatabaseConnection, Driver, QueryResult } from 'kysely';
import { isBusy } from './sqlite-errors.ts';
import { Statements } from './statements.ts';

const BUSY_PAUSE_MS = 50;
/** A program such as a backup may hold the file for five seconds. */
const BUSY_TRIES = 100;

export interface SqliteHooks {
  /** Makes the error that is thrown instead of one of SQLite's. */
  readonly translate: (error: unknown) => Error;
  /** Throws if the file must not be used any more; called before each group of transactions or single statement. */
  readonly verify: () => void;
}

/**
 * Transactions run one after the other, as SQLite has it, but those that arrive together are committed together: the
 * disk is waited for once for all of them. Each is a savepoint within the one transaction of the group, so one that
 * fails undoes only itself; and each has ended only when the group is on the disk.
 */
export class GroupCommitDriver implements Driver {
  private readonly file: DatabaseSync;
  private readonly hooks: SqliteHooks;
  private readonly statements: Statements;
  /** Transactions that have done their work, and wait for the disk. */
  private waiting: PromiseWithResolvers<void>[] = [];
  /** Ends when nobody has the file. */
  private lastTurn: Promise<void> = Promise.resolve();
  /** Another program held the file for too long when it was wanted last: who waits fails, too, until it is free. */
  private isHeld = false;

  constructor(file: DatabaseSync, hooks: SqliteHooks) {
    this.file = file;
    this.hooks = hooks;
    this.statements = new Statements(file);
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<Connection> {
    const endTurn = await this.takeTurn();
    return new Connection((query, isInTransaction) => this.execute(query, isInTransaction), endTurn);
  }

  async releaseConnection(connection: Connection): Promise<void> {
    connection.endTurn();
  }

  /** Writes from the start: a transaction that reads first could not be upgraded behind another's write. */
  async beginTransaction(connection: Connection): Promise<void> {
    if (!this.file.isTransaction) {
      this.hooks.verify();
      await this.patiently(() => this.statements.run('begin immediate'));
    }
    this.attempt(() => this.statements.run('savepoint member'));
    connection.isInTransaction = true;
  }

  async commitTransaction(connection: Connection): Promise<void> {
    this.attempt(() => this.statements.run('release member'));
    connection.isInTransaction = false;
    const onDisk = Promise.withResolvers<void>();
    this.waiting.push(onDisk);
    if (this.waiting.length === 1) void this.commitSoon();
    connection.endTurn();
    await onDisk.promise;
  }

  async rollbackTransaction(connection: Connection): Promise<void> {
    // After some errors, such as a full disk, SQLite has rolled back by itself.
    if (!connection.isInTransaction || !this.file.isTransaction) return;
    connection.isInTransaction = false;
    try {
      this.attempt(() => this.undoMember());
    } catch (error) {
      // What is left of it must not be committed with the others.
      this.undoGroup(error);
      throw error;
    }
  }

  async destroy(): Promise<void> {
    const endTurn = await this.takeTurn();
    this.commit();
    this.file.close();
    endTurn();
  }

  /** All that came in with this turn of the event loop go along, and those who wait for the file already. */
  private async commitSoon(): Promise<void> {
    await nextTurn();
    const endTurn = await this.takeTurn();
    this.commit();
    endTurn();
  }

  private commit(): void {
    if (this.waiting.length === 0) return;
    try {
      this.attempt(() => this.statements.run('commit'));
    } catch (error) {
      this.undoGroup(error);
    }
    for (const { resolve } of this.waiting.splice(0)) resolve();
  }

  private undoMember(): void {
    if (this.waiting.length > 0) {
      this.statements.run('rollback to member');
      this.statements.run('release member');
    } else {
      this.statements.run('rollback');
    }
  }

  private undoGroup(error: unknown): void {
    this.fail(error);
    if (this.file.isTransaction) this.statements.run('rollback');
  }

  private fail(error: unknown): void {
    for (const { reject } of this.waiting.splice(0)) reject(error);
  }

  private async execute(
    { sql, parameters }: CompiledQuery,
    isInTransaction: boolean,
  ): Promise<QueryResult<unknown>> {
    const result = () => this.statements.result(sql, parameters as SQLInputValue[]);
    if (!isInTransaction) {
      // It must neither see nor be part of what is not on the disk yet.
      this.commit();
      this.hooks.verify();
      return this.patiently(result);
    }
    return this.attempt(() => {
      if (!this.file.isTransaction) throw new Error('the transaction was undone before');
      return result();
    });
  }

  /** Waits for another program that holds the file. Not by SQLite's own timeout: nothing else would go on meanwhile. */
  private async patiently<T>(action: () => T): Promise<T> {
    for (let triesLeft = this.isHeld ? 0 : BUSY_TRIES; ; triesLeft -= 1) {
      try {
        const done = action();
        this.isHeld = false;
        return done;
      } catch (error) {
        this.isHeld = isBusy(error) && triesLeft <= 0;
        if (this.isHeld || !isBusy(error)) throw this.hooks.translate(error);
      }
      await sleep(BUSY_PAUSE_MS);
    }
  }

  private attempt<T>(action: () => T): T {
    try {
      return action();
    } catch (error) {
      const translated = this.hooks.translate(error);
      // SQLite has undone all of it, also what others of the group had done.
      if (!this.file.isTransaction) this.fail(translated);
      throw translated;
    }
  }

  /** Waits until nobody has the file, and has it until the function that it returns is called. */
  private async takeTurn(): Promise<() => void> {
    const before = this.lastTurn;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.lastTurn = promise;
    await before;
    return resolve;
  }
}

/** Has the file for itself until its turn ends. */
class Connection implements DatabaseConnection {
  readonly endTurn: () => void;
  isInTransaction = false;
  private readonly execute: (query: CompiledQuery, isInTransaction: boolean) => Promise<QueryResult<unknown>>;

  constructor(execute: Connection['execute'], endTurn: () => void) {
    this.execute = execute;
    this.endTurn = endTurn;
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    return (await this.execute(query, this.isInTransaction)) as QueryResult<R>;
  }

  // biome-ignore lint/correctness/useYield: nothing is streamed.
  async *streamQuery(): AsyncGenerator<never> {
    throw new Error('Not for SQLite: a transaction would have the file for as long as somebody reads');
  }
}
