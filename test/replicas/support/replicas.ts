import { isDeepStrictEqual } from 'node:util';
import { describe } from 'vitest';
import { type Outside, startOutside } from '../../crash/support/outside.ts';
import type { ChildEnv, ChildProgram } from '../../support/child-program.ts';
import { describeWithLocalSlack } from '../../support/local-slack.ts';
import { createTestDatabase, type TestDatabase, testServerUrl } from '../../support/postgres.ts';
import { type DatabaseProxy, startDatabaseProxy } from './database-proxy.ts';

const OTHER_CONNECTIONS = `select state from pg_stat_activity
  where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'`;

/** Real processes on one Postgres: each `start()` is one more replica. */
export interface Replicas extends Outside {
  /** Between the replicas and the database. */
  readonly databaseProxy: DatabaseProxy;
  /** Past the proxy. */
  query: TestDatabase['query'];
  /** Waits until one task is in flight, and it is of this kind. */
  hasInFlight(kind: string): Promise<void>;
  /**
   * Ends the leases of the tasks that are in flight now. The program's part in the end of a lease is to compare times; this
   * moves the time in the rows instead of waiting.
   */
  expireLeases(): Promise<void>;
  /** Stops the process for a while, outside of any transaction. */
  freeze(program: ChildProgram): Promise<void>;
}

/** `describe` for tests with processes on a Postgres: skipped, saying so, on a machine that lacks something. */
export function describeReplicas(name: string, tests: (serverUrl: string) => void): void {
  describe.skipIf(testServerUrl === undefined)('with a database server', () => {
    describeWithLocalSlack(name, () => tests(testServerUrl ?? ''));
  });
}

export async function startReplicas(serverUrl: string, settings: ChildEnv = {}): Promise<Replicas> {
  const resources = new AsyncDisposableStack();
  const database = await createTestDatabase(serverUrl);
  resources.defer(() => database.drop());
  const databaseProxy = resources.use(await startDatabaseProxy(database.url));
  const outside = resources.use(
    await startOutside({ DATABASE_URL: databaseProxy.url, SETTLE_WINDOW: '0', ...settings }),
  );
  const leased = 'lease_until is not null';
  return {
    ...outside,
    databaseProxy,
    query: (sql) => database.query(sql),
    hasInFlight: async (kind) => {
      const kinds = () => database.query(`select kind from task where ${leased}`);
      const isOnly = (rows: readonly unknown[]) => isDeepStrictEqual(rows, [{ kind }]);
      await outside.until(kinds, isOnly, `${kind} alone to be in hand`);
    },
    expireLeases: async () => {
      await database.query(`update task set lease_until = 0 where ${leased}`);
    },
    freeze: (program) => freeze(program, database),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

async function freeze(program: ChildProgram, database: TestDatabase): Promise<void> {
  for (;;) {
    program.kill('SIGSTOP');
    const connections = await database.query(OTHER_CONNECTIONS);
    if (connections.every(({ state }) => state === 'idle')) return;
    program.kill('SIGCONT');
  }
}
