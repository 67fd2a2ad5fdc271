import { setTimeout as sleep } from 'node:timers/promises';
import type { PostgresPool, PostgresPoolClient } from 'kysely';
import type { Pool, PoolClient, QueryArrayConfig } from 'pg';
import { codeOf, namedRows, propertyName, StoreError } from './database.ts';
import {
  connectionErrors,
  isConnectionLost,
  statementError,
  TOO_MANY_CONNECTIONS,
} from './postgres-errors.ts';

export type Urgency = 'request' | 'again' | 'background' | 'migration';

/** The types of `pg` lack the time limit. */
type ArrayQuery = QueryArrayConfig & { readonly query_timeout: number };

const TURN_WITHIN_MS: Readonly<Record<Urgency, number>> = {
  request: 2_000,
  again: 600,
  background: 10_000,
  migration: 2_000,
};
const CONNECT_AGAIN_MS = 100;
/** A vanished server must not block the loops. */
const STATEMENT_TIMEOUT_MS = 15_000;

/**
 * After a failover, old connections stay open, silent or read-only: once one is lost, all older ones are
 * closed before their next use.
 */
export function sharedPool(pool: Pool, databaseUrl: string, max: number): (urgency: Urgency) => PostgresPool {
  const explain = connectionErrors(databaseUrl);
  const madeAfterLosses = new WeakMap<PoolClient, number>();
  const turns = connectionTurns(max);
  let losses = 0;
  let inUse = 0;
  pool.on('connect', (client) => madeAfterLosses.set(client, losses));

  async function connect() {
    for (;;) {
      const client = await pool.connect();
      if (madeAfterLosses.get(client) === losses) return client;
      client.release(true);
    }
  }

  function kyselyClient(client: PoolClient, urgency: Urgency): PostgresPoolClient {
    const query_timeout = urgency === 'migration' ? 0 : STATEMENT_TIMEOUT_MS;
    let lost: StoreError | null = null;
    const query = async (sql: string, parameters: readonly unknown[]) => {
      // A rollback would wait just as long.
      if (lost !== null) throw lost;
      try {
        const values = parameters.map(storable);
        const config: ArrayQuery = { text: sql, values, rowMode: 'array', query_timeout };
        const result = await client.query<unknown[]>(config);
        // `begin` with settings has several results.
        if (Array.isArray(result)) return result;
        const properties = result.fields.map(({ name }) => propertyName(name));
        return { ...result, rows: namedRows(properties, result.rows) };
      } catch (error) {
        const failure = statementError(error);
        if (isConnectionLost(failure.code)) {
          lost = failure;
          losses += 1;
        }
        throw failure;
      }
    };
    return {
      // Kysely passes a cursor only for streams.
      query: query as unknown as PostgresPoolClient['query'],
      release: (destroy) => {
        client.release(destroy || lost !== null);
        inUse -= 1;
        turns.giveBack(urgency);
      },
    };
  }

  async function take(urgency: Urgency): Promise<PostgresPoolClient> {
    const untilMs = performance.now() + TURN_WITHIN_MS[urgency];
    const nextTurn = (isFirst: boolean) => turns.take(urgency, untilMs - performance.now(), isFirst);
    for (let turn = nextTurn(false); ; ) {
      if (!(await turn)) throw noneFreeError(turns.size());
      try {
        const client = await connect();
        inUse += 1;
        return kyselyClient(client, urgency);
      } catch (error) {
        const open = inUse + pool.idleCount;
        const isRefused = codeOf(error) === TOO_MANY_CONNECTIONS && performance.now() < untilMs;
        if (isRefused && open > 0) turns.limitTo(open);
        if (isRefused && open === 0) await sleep(CONNECT_AGAIN_MS);
        // Queued before a later request gets the turn.
        if (isRefused) turn = nextTurn(true);
        turns.giveBack(urgency);
        if (!isRefused) throw explain(error);
      }
    }
  }

  return (urgency) => ({ options: pool.options, end: () => pool.end(), connect: () => take(urgency) });
}

function noneFreeError(connections: number) {
  return new StoreError(
    `No connection to Postgres became free in time: all ${connections} are in use. ` +
      'If this goes on, give the role or the database more connections (CONNECTION LIMIT), or look why statements take long.',
    null,
    true,
  );
}

/** Postgres rejects NUL in text and fractions in integers; SQLite takes both. */
function storable(parameter: unknown) {
  if (typeof parameter === 'number') return Math.round(parameter);
  return typeof parameter === 'string' ? parameter.replaceAll('\0', '\uFFFD') : parameter;
}

/** Other programs may have closed connections. */
const RAISE_AFTER_MS = 10_000;

/** Only new requests may use the last quarter. */
function connectionTurns(max: number) {
  /** Lowered when the server refuses more. */
  let size = max;
  let raiseAtMs = 0;
  const inUse: Record<Urgency, number> = { request: 0, again: 0, background: 0, migration: 0 };
  const waiting: Record<Urgency, (() => void)[]> = { request: [], again: [], background: [], migration: [] };

  function limitTo(count: number) {
    size = Math.min(max, Math.max(1, count));
    raiseAtMs = performance.now() + RAISE_AFTER_MS;
  }

  function handOut() {
    if (size < max && performance.now() >= raiseAtMs) limitTo(size + 1);
    for (let next = nextInLine(); next !== undefined; next = nextInLine()) {
      inUse[next] += 1;
      waiting[next].shift()?.();
    }
  }

  function nextInLine() {
    const { request, again, background, migration } = inUse;
    if (request + again + background + migration >= size) return undefined;
    const isReserved = again + background >= Math.max(1, size - Math.ceil(size / 4));
    const allowed: readonly Urgency[] = isReserved
      ? ['request']
      : ['migration', 'request', 'again', 'background'];
    return allowed.find((urgency) => waiting[urgency].length > 0);
  }

  return {
    size: () => size,
    limitTo,
    /** `isFirst`: before all waiters. */
    take: async (urgency: Urgency, withinMs: number, isFirst: boolean): Promise<boolean> => {
      const { promise, resolve } = Promise.withResolvers<boolean>();
      const line = waiting[urgency];
      const start = () => resolve(true);
      if (isFirst) line.unshift(start);
      else line.push(start);
      handOut();
      if (!line.includes(start)) return promise;
      const timer = setTimeout(() => {
        line.splice(line.indexOf(start), 1);
        resolve(false);
      }, withinMs);
      return promise.finally(() => clearTimeout(timer));
    },
    giveBack: (urgency: Urgency): void => {
      inUse[urgency] -= 1;
      handOut();
    },
  };
}
