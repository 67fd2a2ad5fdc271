import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { TestDatabase } from '../../support/postgres.ts';
import { waitFor } from '../../support/wait-for.ts';

const OTHER_CONNECTIONS =
  'select pid from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()';

/** Looks into the store from outside, also while a process of the program lives. */
export interface StoreReader {
  /** Runs one statement. */
  query(sql: string): Promise<Record<string, unknown>[]>;
  /** Waits until the requests of the killed process have ended, and others may take over its work in flight. */
  processDied(): Promise<void>;
}

export function readSqlite(dataDir: string): StoreReader {
  return {
    query: async (sql) => {
      const database = new DatabaseSync(join(dataDir, 'docs-agent.db'), { readOnly: true, timeout: 5_000 });
      try {
        return database.prepare(sql).all();
      } finally {
        database.close();
      }
    },
    // The next process frees the leases itself.
    processDied: async () => {},
  };
}

export function readPostgres({ query }: TestDatabase): StoreReader {
  return {
    query,
    processDied: async () => {
      await waitFor(
        () => query(OTHER_CONNECTIONS),
        (rows) => rows.length === 0,
        { what: 'the end of its connections', timeoutMs: 15_000 },
      );
      // The program's part in a lease that runs out is to compare times; this spares the wait.
      await query('update task set lease_until = 0 where lease_until is not null');
    },
  };
}
