import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import type { CompiledQuery, DatabaseConnection, Driver, QueryResult } from 'kysely';
import { isBusy } from './sqlite-errors.ts';

const BUSY_PAUSE_MS = 50;
/** Another program, such as a backup, may hold the file for five seconds. */
const BUSY_TRIES = 100;

export interface SqliteHooks {
  /** Translates SQLite's errors. */
  readonly translate: (error: unknown) => Error;
  /** Throws if the file must no longer be used. Called before each group of transactions and each single statement. */
  readonly verify: () => void;
}

/**
 * Group commit: transactions run one after the other, but those that arrive together share one commit, and so one wait
 * for the disk. Each is a savepoint of the group's transaction, so a failing one rolls back only itself. None has ended
 * before the group is on disk.
 */
export class GroupCommitDriver implements Driver {
  private readonly file: DatabaseSync;
  private readonly hooks: SqliteHooks;
  private readonly statements: Statements;
  /** Finished transactions that wait for the disk. */
  private waiting: PromiseWithResolvers<void>[] = [];
  /** Settles when the file is free. */
  private lastTurn: Promise<void> = Promise.resolve();
  /** Another program held the file for too long at the last try. Until it is free, nobody waits for it. */
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

  /** `immediate`: a transaction that reads first could not be upgraded behind another's write. */
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
    // After some errors, such as a full disk, SQLite has already rolled back.
    if (!connection.isInTransaction || !this.file.isTransaction) return;
    connection.isInTransaction = false;
    try {
      this.attempt(() => this.undoMember());
    } catch (error) {
      // Its remains must not be committed with the others.
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

  /** The group: transactions of this turn of the event loop, and those that already wait for the file. */
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
      // It must neither see nor join what is not on disk yet.
      this.commit();
      this.hooks.verify();
      return this.patiently(result);
    }
    return this.attempt(() => {
      if (!this.file.isTransaction) throw new Error('the transaction was undone before');
      return result();
    });
  }

  /** Waits while another program holds the file. SQLite's own timeout would block the event loop. */
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
      // SQLite has rolled back the whole group.
      if (!this.file.isTransaction) this.fail(translated);
      throw translated;
    }
  }

  /** Waits for the file, and holds it until the returned function is called. */
  private async takeTurn(): Promise<() => void> {
    const before = this.lastTurn;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.lastTurn = promise;
    await before;
    return resolve;
  }
}

/** Holds the file until its turn ends. */
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
    throw new Error('SQLite does not stream: the file would be held for as long as somebody reads');
  }
}

/** More than the program has queries; lists of values make variants of some. */
const MAX_KEPT = 500;

interface Prepared {
  readonly statement: StatementSync;
  readonly hasRows: boolean;
}

/** Statements of a file, each prepared once. */
class Statements {
  private readonly file: DatabaseSync;
  private readonly prepared = new Map<string, Prepared>();

  constructor(file: DatabaseSync) {
    this.file = file;
  }

  run(sql: string): void {
    this.of(sql).statement.run();
  }

  result(sql: string, parameters: readonly SQLInputValue[]): QueryResult<unknown> {
    const { statement, hasRows } = this.of(sql);
    if (hasRows) return { rows: statement.all(...parameters) };
    const { changes, lastInsertRowid } = statement.run(...parameters);
    return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) };
  }

  private of(sql: string): Prepared {
    const kept = this.prepared.get(sql);
    if (kept !== undefined) return kept;
    const statement = this.file.prepare(sql);
    const prepared = { statement, hasRows: statement.columns().length > 0 };
    if (this.prepared.size >= MAX_KEPT) this.prepared.clear();
    this.prepared.set(sql, prepared);
    return prepared;
  }
}
