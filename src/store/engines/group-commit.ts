import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import type { CompiledQuery, DatabaseConnection, Driver, QueryResult } from 'kysely';
import { isBusy } from './sqlite-errors.ts';

const BUSY_PAUSE_MS = 50;
/** Another program, such as a backup, may hold the file for five seconds. */
const BUSY_TRIES = 100;
/**
 * So that nobody who comes during a flush waits for two. Most disks take as long for several as for one. The
 * rest of Node's four threads remain for DNS lookups, for example.
 */
export const FLUSHES_AT_ONCE = 2;

export type SqliteHooks = Readonly<{
  translate: (error: unknown) => Error;
  /** Throws if the file must no longer be used. Called before each group of transactions and each single statement. */
  verify: () => void;
  /**
   * Resolves once all that was committed before the call is on disk. After a failure it always fails, and `verify`
   * throws.
   */
  flush: () => Promise<void>;
}>;

/**
 * Group commit: transactions run one after the other, but those that arrive together share one commit. Each
 * but the first is a savepoint of the group's transaction, so a failing one rolls back only itself. A flush
 * to the disk does not hold up the next groups, and serves everything committed before it. Nothing has ended,
 * and nobody learns what was read, before all that it depends on is on disk.
 */
export class GroupCommitDriver implements Driver {
  private readonly file: DatabaseSync;
  private readonly hooks: SqliteHooks;
  private readonly statements: Statements;
  /** Finished transactions that wait for their group's commit. */
  private waiting: PromiseWithResolvers<void>[] = [];
  /** Committed, or dependent on a commit, and waiting for a flush to begin. */
  private unflushed: PromiseWithResolvers<void>[] = [];
  /** Something was committed since the last flush began. */
  private isDirty = false;
  private flushesUnderWay = 0;
  /** Settles once everything committed before the last flush began is on disk. */
  private lastFlush: Promise<void> = Promise.resolve();
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
    return new Connection(this, endTurn);
  }

  async releaseConnection(connection: Connection): Promise<void> {
    connection.endTurn();
  }

  /** `immediate`: a transaction that reads first could not be upgraded behind another's write. */
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
    connection.endTurn();
    // It may have failed because of what it read. If that is lost, its writers say so.
    await this.onDisk().catch(() => {});
  }

  async destroy(): Promise<void> {
    const endTurn = await this.takeTurn();
    this.commit();
    await this.onDisk().catch(() => {});
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
    this.flushSoon(this.waiting.splice(0), this.statements.takeWrites());
  }

  private join(): Promise<void> {
    const member = Promise.withResolvers<void>();
    this.waiting.push(member);
    return member.promise;
  }

  /** Resolves once everything visible now is on disk, including the group's writes before its commit. */
  private onDisk(hasWritten = false): Promise<void> {
    if (this.waiting.length > 0) return this.join();
    const onDisk = Promise.withResolvers<void>();
    this.flushSoon([onDisk], hasWritten);
    return onDisk.promise;
  }

  private flushSoon(members: readonly PromiseWithResolvers<void>[], hasWritten: boolean): void {
    this.isDirty ||= hasWritten;
    this.unflushed.push(...members);
    this.flushOn();
  }

  private flushOn(): void {
    if (this.unflushed.length === 0 || (this.isDirty && this.flushesUnderWay >= FLUSHES_AT_ONCE)) return;
    if (this.isDirty) this.lastFlush = this.flush(this.lastFlush);
    const members = this.unflushed.splice(0);
    this.lastFlush.then(
      () => {
        for (const { resolve } of members) resolve();
      },
      (error) => {
        for (const { reject } of members) reject(error);
      },
    );
  }

  /** Ends after earlier ones, which it depends on. */
  private async flush(before: Promise<void>): Promise<void> {
    this.isDirty = false;
    this.flushesUnderWay += 1;
    try {
      await this.hooks.flush();
    } finally {
      this.flushesUnderWay -= 1;
      this.flushOn();
    }
    await before;
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

  async execute({ sql, parameters }: CompiledQuery, isInTransaction: boolean): Promise<QueryResult<unknown>> {
    const result = () => this.statements.result(sql, parameters as SQLInputValue[]);
    if (!isInTransaction) {
      // It must not join the group.
      this.commit();
      this.hooks.verify();
      const done = await this.patiently(result);
      await this.onDisk(this.statements.takeWrites());
      return done;
    }
    return this.attempt(() => {
      this.requireTransaction();
      return result();
    });
  }

  /** After some errors, SQLite has undone it, even if the error was caught. */
  private requireTransaction(): void {
    if (!this.file.isTransaction) throw new Error('the transaction was undone before');
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
export class Connection implements DatabaseConnection {
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

/** More than the program has queries; lists of values make variants of some. */
const MAX_KEPT = 500;

type Prepared = Readonly<{
  statement: StatementSync;
  hasRows: boolean;
  onlyReads: boolean;
}>;

/** Statements of a file, each prepared once. */
export class Statements {
  private readonly file: DatabaseSync;
  private readonly prepared = new Map<string, Prepared>();
  private hasWritten = false;

  constructor(file: DatabaseSync) {
    this.file = file;
  }

  run(sql: string): void {
    this.of(sql).statement.run();
  }

  /** Whether a statement may have written since the last call. */
  takeWrites(): boolean {
    const { hasWritten } = this;
    this.hasWritten = false;
    return hasWritten;
  }

  result(sql: string, parameters: readonly SQLInputValue[]): QueryResult<unknown> {
    const { statement, hasRows, onlyReads } = this.of(sql);
    this.hasWritten ||= !onlyReads;
    if (hasRows) return { rows: statement.all(...parameters) };
    const { changes, lastInsertRowid } = statement.run(...parameters);
    return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) };
  }

  private of(sql: string): Prepared {
    const kept = this.prepared.get(sql);
    if (kept !== undefined) return kept;
    const statement = this.file.prepare(sql);
    const prepared = {
      statement,
      hasRows: statement.columns().length > 0,
      onlyReads: /^\s*select\b/i.test(sql),
    };
    if (this.prepared.size >= MAX_KEPT) this.prepared.clear();
    this.prepared.set(sql, prepared);
    return prepared;
  }
}
