import type { DatabaseSync, SQLInputValue, SQLOutputValue, StatementSync } from 'node:sqlite';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import type { CompiledQuery, DatabaseConnection, Driver, QueryResult } from 'kysely';
import { namedRows, propertyName } from './column-names.ts';
import { isBusy } from './sqlite-errors.ts';

const BUSY_PAUSE_MS = 50;
/** Another program, such as a backup, may lock the file for five seconds. */
const BUSY_TRIES = 100;
/** Nothing waits for two flushes, and two of Node's threads stay free. */
export const FLUSHES_AT_ONCE = 2;

export type SqliteHooks = Readonly<{
  translate: (error: unknown) => Error;
  verify: () => void;
  /** After a failure, `flush` and `verify` always fail. */
  flush: () => Promise<void>;
}>;

/**
 * Transactions run one at a time; those that arrive together share a commit. All but the first are
 * savepoints, so a failing one rolls back only itself. Nothing returns before what it depends on is on disk.
 */
export class GroupCommitDriver implements Driver {
  private readonly file: DatabaseSync;
  private readonly hooks: SqliteHooks;
  private readonly statements: Statements;
  private waiting: PromiseWithResolvers<void>[] = [];
  private unflushed: PromiseWithResolvers<void>[] = [];
  private isDirty = false;
  private flushesUnderWay = 0;
  private lastFlush: Promise<void> = Promise.resolve();
  private lastTurn: Promise<void> = Promise.resolve();
  /** Another program locked the file for too long: nothing waits. */
  private isHeld = false;

  constructor(file: DatabaseSync, hooks: SqliteHooks) {
    this.file = file;
    this.hooks = hooks;
    this.statements = new Statements(file);
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<Connection> {
    return new Connection(this, await this.takeTurn());
  }

  async releaseConnection(connection: Connection): Promise<void> {
    connection.endTurn();
  }

  /** `immediate`: SQLite cannot upgrade a transaction that read before another program wrote. */
  async beginTransaction(connection: Connection): Promise<void> {
    if (this.file.isTransaction) {
      this.attempt(() => this.statements.run('savepoint member'));
    } else {
      this.hooks.verify();
      await this.patiently(() => this.statements.run('begin immediate'));
    }
    connection.isInTransaction = true;
  }

  async commitTransaction(connection: Connection): Promise<void> {
    this.attempt(() => {
      this.requireTransaction();
      if (this.waiting.length > 0) this.statements.run('release member');
    });
    connection.isInTransaction = false;
    const ended = this.join();
    if (this.waiting.length === 1) void this.commitSoon();
    connection.endTurn();
    await ended;
  }

  async rollbackTransaction(connection: Connection): Promise<void> {
    // Some errors, such as a full disk, make SQLite roll back by itself.
    if (!connection.isInTransaction || !this.file.isTransaction) return;
    connection.isInTransaction = false;
    try {
      const undo = this.waiting.length > 0 ? ['rollback to member', 'release member'] : ['rollback'];
      this.attempt(() => {
        for (const statement of undo) this.statements.run(statement);
      });
    } catch (error) {
      // Its remains must not be committed.
      this.undoGroup(error);
      throw error;
    }
    connection.endTurn();
    await this.onDisk().catch(() => {});
  }

  async destroy(): Promise<void> {
    const endTurn = await this.takeTurn();
    this.commit();
    await this.onDisk().catch(() => {});
    this.file.close();
    endTurn();
  }

  async execute({ sql, parameters }: CompiledQuery, isInTransaction: boolean): Promise<QueryResult<unknown>> {
    const run = () => this.statements.result(sql, parameters as SQLInputValue[]);
    if (isInTransaction) {
      return this.attempt(() => {
        this.requireTransaction();
        return run();
      });
    }
    this.commit();
    this.hooks.verify();
    const result = await this.patiently(run);
    await this.onDisk(this.statements.takeWrites());
    return result;
  }

  /** The group: this turn of the event loop, and what already waits for the file. */
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
    this.flushSoon(this.waiting.splice(0), this.statements.takeWrites());
  }

  private join(): Promise<void> {
    const member = Promise.withResolvers<void>();
    this.waiting.push(member);
    return member.promise;
  }

  /** Includes the open group. */
  private onDisk(hasWritten = false): Promise<void> {
    if (this.waiting.length > 0) return this.join();
    const onDisk = Promise.withResolvers<void>();
    this.flushSoon([onDisk], hasWritten);
    return onDisk.promise;
  }

  private flushSoon(members: readonly PromiseWithResolvers<void>[], hasWritten: boolean): void {
    this.isDirty ||= hasWritten;
    this.unflushed.push(...members);
    this.flushIfFree();
  }

  private flushIfFree(): void {
    if (this.unflushed.length === 0 || (this.isDirty && this.flushesUnderWay >= FLUSHES_AT_ONCE)) return;
    if (this.isDirty) this.lastFlush = this.flush(this.lastFlush);
    for (const { resolve } of this.unflushed.splice(0)) resolve(this.lastFlush);
  }

  /** Depends on earlier flushes. */
  private async flush(before: Promise<void>): Promise<void> {
    this.isDirty = false;
    this.flushesUnderWay += 1;
    try {
      await this.hooks.flush();
    } finally {
      this.flushesUnderWay -= 1;
      this.flushIfFree();
    }
    await before;
  }

  private undoGroup(error: unknown): void {
    this.fail(error);
    if (this.file.isTransaction) this.statements.run('rollback');
  }

  private fail(error: unknown): void {
    for (const { reject } of this.waiting.splice(0)) reject(error);
  }

  /** Some errors undo the transaction even if they are caught. */
  private requireTransaction(): void {
    if (!this.file.isTransaction) throw new Error('the transaction was undone before');
  }

  /** SQLite's own timeout would block the event loop. */
  private async patiently<T>(action: () => T): Promise<T> {
    for (let triesLeft = this.isHeld ? 0 : BUSY_TRIES; ; triesLeft -= 1) {
      try {
        const result = action();
        this.isHeld = false;
        return result;
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
      if (!this.file.isTransaction) this.fail(translated);
      throw translated;
    }
  }

  private async takeTurn(): Promise<() => void> {
    const before = this.lastTurn;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.lastTurn = promise;
    await before;
    return resolve;
  }
}

class Connection implements DatabaseConnection {
  readonly endTurn: () => void;
  isInTransaction = false;
  private readonly driver: GroupCommitDriver;

  constructor(driver: GroupCommitDriver, endTurn: () => void) {
    this.driver = driver;
    this.endTurn = endTurn;
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    return (await this.driver.execute(query, this.isInTransaction)) as QueryResult<R>;
  }

  // biome-ignore lint/correctness/useYield: nothing is streamed.
  async *streamQuery(): AsyncGenerator<never> {
    throw new Error('SQLite does not stream: the file would be held for as long as somebody reads');
  }
}

const MAX_KEPT = 500;

class Statements {
  private readonly file: DatabaseSync;
  private readonly prepared = new Map<string, ReturnType<Statements['prepare']>>();
  private hasWritten = false;

  constructor(file: DatabaseSync) {
    this.file = file;
  }

  run(sql: string): void {
    this.of(sql).statement.run();
  }

  takeWrites(): boolean {
    const { hasWritten } = this;
    this.hasWritten = false;
    return hasWritten;
  }

  result(sql: string, parameters: readonly SQLInputValue[]): QueryResult<unknown> {
    const { statement, properties, onlyReads } = this.of(sql);
    this.hasWritten ||= !onlyReads;
    if (properties.length > 0) {
      const rows = statement.all(...parameters) as unknown as SQLOutputValue[][];
      return { rows: namedRows(properties, rows) };
    }
    const { changes, lastInsertRowid } = statement.run(...parameters);
    return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) };
  }

  private of(sql: string) {
    const kept = this.prepared.get(sql);
    if (kept !== undefined) return kept;
    if (this.prepared.size >= MAX_KEPT) this.prepared.clear();
    const prepared = this.prepare(sql);
    this.prepared.set(sql, prepared);
    return prepared;
  }

  private prepare(sql: string) {
    const statement: StatementSync = this.file.prepare(sql);
    statement.setReturnArrays(true);
    const properties = statement.columns().map(({ name }) => propertyName(name));
    return { statement, properties, onlyReads: /^\s*select\b/i.test(sql) };
  }
}
