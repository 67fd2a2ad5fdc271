import type { PostgresPool, PostgresPoolClient } from 'kysely';
import type { Pool, PoolClient } from 'pg';
import type { StoreError } from '../errors.ts';
import { connectionErrors, isConnectionLost, statementError } from './postgres-errors.ts';

/**
 * The pool as Kysely uses it: with errors of ours, and without connections that lead nowhere. After a failover some are
 * silent and others read-only, without being closed. So when one is lost, all that were made before it are closed
 * before they are used again: else each would have to fail by itself.
 */
export function trustedPool(pool: Pool, databaseUrl: string): PostgresPool {
  const explain = connectionErrors(databaseUrl);
  const madeAfterLosses = new WeakMap<PoolClient, number>();
  let losses = 0;
  const onLost = () => {
    losses += 1;
  };
  pool.on('connect', (client) => madeAfterLosses.set(client, losses));
  const take = async (): Promise<PoolClient> => {
    for (;;) {
      const client = await pool.connect();
      if (madeAfterLosses.get(client) === losses) return client;
      client.release(true);
    }
  };
  return {
    options: pool.options,
    end: () => pool.end(),
    connect: async () => {
      try {
        return translatingClient(await take(), onLost);
      } catch (error) {
        throw explain(error);
      }
    },
  };
}

function translatingClient(client: PoolClient, onLost: () => void): PostgresPoolClient {
  let lost: StoreError | null = null;
  const query = async (sql: string, parameters: readonly unknown[]) => {
    // A rollback, say, would wait as long again for nothing.
    if (lost !== null) throw lost;
    try {
      return await client.query(sql, parameters.map(storable));
    } catch (error) {
      const failure = statementError(error);
      if (isConnectionLost(failure.code)) {
        lost = failure;
        onLost();
      }
      throw failure;
    }
  };
  return {
    // Kysely passes a cursor only for streams, which the store does not use.
    query: query as unknown as PostgresPoolClient['query'],
    release: (destroy) => client.release(destroy || lost !== null),
  };
}

/**
 * Text in Postgres cannot hold the character NUL; text from outside may. Its whole numbers, such as times, take no
 * fractions; SQLite's do, and quotients have them.
 */
function storable(parameter: unknown): unknown {
  if (typeof parameter === 'number') return Math.round(parameter);
  return typeof parameter === 'string' ? parameter.replaceAll('\0', '\uFFFD') : parameter;
}
