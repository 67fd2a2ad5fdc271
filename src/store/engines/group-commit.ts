import type { DatabaseSync, SQLInputValue, SQLOutputValue, StatementSync } from 'node:sqlite';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import type { CompiledQuery, DatabaseConnection, Driver, QueryResult } from 'kysely';
import { namedRows, propertyName } from './database.ts';
import { isBusy } from './sqlite-errors.ts';

/** Two of Node's four threads stay free. */
export const FLUSHES_AT_ONCE = 2;
const BUSY_PAUSE_MS = 50;
/** Another program, such as a backup, may lock the file for five seconds. */
const BUSY_TRIES = 100;

export type SqliteHooks = Readonly<{
  translate: (error: unknown) => Error;
  verify?: () => void;
  /** After a failure, `flush` and `verify` always fail. */
  flush?: () => Promise<void>;
}>;

type Member = PromiseWithResolvers<void>;

/**
 * Transactions run one at a time; those that arrive together share a commit. All but the first are
 * savepoints, so a failing one rolls back only itself. Nothing returns before what it depends on is on disk.
 */
export function groupCommitDriver(
  file: DatabaseSync,
  { translate, verify = () => {}, flush = async () => {} }: SqliteHooks,
): Driver {
  const statements = keptStatements(file);
  const waiting: Member[] = [];
  let lastFlush: Promise<void> = Promise.resolve();
  let flushBefore: Promise<void> = lastFlush;
  let isFlushBegun = true;
  let lastTurn: Promise<void> = Promise.resolve();
  /** Another program locked the file for too long: nothing waits. */
  let isHeld = false;

  async function acquireConnection() {
    const connection: Connection = {
      endTurn: await takeTurn(),
      isInTransaction: false,
      executeQuery: async <R>(query: CompiledQuery) =>
        (await execute(query, connection.isInTransaction)) as QueryResult<R>,
      streamQuery: () => {
        throw new Error('SQLite does not stream: the file would be held for as long as somebody reads');
      },
    };
    return connection;
  }

  async function releaseConnection(connection: Connection) {
    connection.endTurn();
  }

  /** `immediate`: SQLite cannot upgrade a transaction that read before another program wrote. */
  async function beginTransaction(connection: Connection) {
    if (file.isTransaction) {
      attempt(() => statements.run('savepoint member'));
    } else {
      verify();
      await patiently(() => statements.run('begin immediate'));
    }
    connection.isInTransaction = true;
  }

  async function commitTransaction(connection: Connection) {
    attempt(() => {
      if (waiting.length > 0) statements.run('release member');
    });
    connection.isInTransaction = false;
    const ended = join();
    if (waiting.length === 1) void commitSoon();
    connection.endTurn();
    await ended;
  }

  async function rollbackTransaction(connection: Connection) {
    // Some errors, such as a full disk, make SQLite roll back by itself.
    if (!connection.isInTransaction || !file.isTransaction) return;
    connection.isInTransaction = false;
    try {
      const undo = waiting.length > 0 ? ['rollback to member', 'release member'] : ['rollback'];
      attempt(() => undo.forEach(statements.run));
    } catch (error) {
      // Its remains must not be committed.
      undoGroup(error);
      throw error;
    }
    connection.endTurn();
    await (waiting.length > 0 ? join() : lastFlush).catch(() => {});
  }

  async function destroy() {
    const endTurn = await takeTurn();
    commit();
    await lastFlush.catch(() => {});
    file.close();
    endTurn();
  }

  async function execute({ sql, parameters }: CompiledQuery, isInTransaction: boolean) {
    const run = () => statements.result(sql, parameters as SQLInputValue[]);
    if (isInTransaction) return attempt(run);
    commit();
    verify();
    const result = await patiently(run);
    await onDisk();
    return result;
  }

  /** The group: this turn of the event loop, and what already waits for the file. */
  async function commitSoon() {
    await nextTurn();
    const endTurn = await takeTurn();
    commit();
    endTurn();
  }

  function commit() {
    if (waiting.length === 0) return;
    try {
      attempt(() => statements.run('commit'));
    } catch (error) {
      undoGroup(error);
    }
    const stored = onDisk();
    for (const { resolve } of waiting.splice(0)) resolve(stored);
  }

  function join() {
    const member = Promise.withResolvers<void>();
    waiting.push(member);
    return member.promise;
  }

  /** What was written shares a flush that has not begun. */
  function onDisk() {
    if (statements.takeWrites() && isFlushBegun) {
      [flushBefore, lastFlush] = [lastFlush, flushAfter(lastFlush, flushBefore)];
      // Those who wait for it learn of its failure.
      lastFlush.catch(() => {});
    }
    return lastFlush;
  }

  /** FLUSHES_AT_ONCE: each begins when the last but one has ended. */
  async function flushAfter(before: Promise<void>, lastButOne: Promise<void>) {
    isFlushBegun = false;
    await lastButOne.catch(() => {});
    isFlushBegun = true;
    await flush();
    await before;
  }

  function undoGroup(error: unknown) {
    fail(error);
    if (file.isTransaction) statements.run('rollback');
  }

  function fail(error: unknown) {
    for (const { reject } of waiting.splice(0)) reject(error);
  }

  /** SQLite's own timeout would block the event loop. */
  async function patiently<T>(action: () => T) {
    for (let triesLeft = isHeld ? 0 : BUSY_TRIES; ; triesLeft -= 1) {
      try {
        const result = action();
        isHeld = false;
        return result;
      } catch (error) {
        isHeld = isBusy(error) && triesLeft <= 0;
        if (isHeld || !isBusy(error)) throw translate(error);
      }
      await sleep(BUSY_PAUSE_MS);
    }
  }

  /** Some errors undo the transaction even if they are caught. */
  function attempt<T>(action: () => T) {
    try {
      if (!file.isTransaction) throw new Error('the transaction was undone before');
      return action();
    } catch (error) {
      const translated = translate(error);
      if (!file.isTransaction) fail(translated);
      throw translated;
    }
  }

  async function takeTurn(): Promise<() => void> {
    const before = lastTurn;
    const { promise, resolve } = Promise.withResolvers<void>();
    lastTurn = promise;
    await before;
    return resolve;
  }

  return {
    init: async () => {},
    acquireConnection,
    releaseConnection,
    beginTransaction,
    commitTransaction,
    rollbackTransaction,
    destroy,
  };
}

interface Connection extends DatabaseConnection {
  readonly endTurn: () => void;
  isInTransaction: boolean;
}

const MAX_KEPT = 500;

function keptStatements(file: DatabaseSync) {
  const kept = new Map<string, ReturnType<typeof prepare>>();
  let hasWritten = false;

  function statementOf(sql: string) {
    const known = kept.get(sql);
    if (known !== undefined) return known;
    if (kept.size >= MAX_KEPT) kept.clear();
    const prepared = prepare(sql);
    kept.set(sql, prepared);
    return prepared;
  }

  function prepare(sql: string) {
    const statement: StatementSync = file.prepare(sql);
    statement.setReturnArrays(true);
    const properties = statement.columns().map(({ name }) => propertyName(name));
    return { statement, properties, onlyReads: /^\s*select\b/i.test(sql) };
  }

  return {
    run: (sql: string): void => {
      statementOf(sql).statement.run();
    },
    takeWrites: (): boolean => {
      const had = hasWritten;
      hasWritten = false;
      return had;
    },
    result: (sql: string, parameters: readonly SQLInputValue[]): QueryResult<unknown> => {
      const { statement, properties, onlyReads } = statementOf(sql);
      hasWritten ||= !onlyReads;
      if (properties.length > 0) {
        const rows = statement.all(...parameters) as unknown as SQLOutputValue[][];
        return { rows: namedRows(properties, rows) };
      }
      const { changes, lastInsertRowid } = statement.run(...parameters);
      return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) };
    },
  };
}
