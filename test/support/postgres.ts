import { randomUUID } from 'node:crypto';
import { Client } from 'pg';

/** A Postgres server for tests, with a user who may create databases: `postgres://user@127.0.0.1:5432/postgres`. */
export const testServerUrl: string | undefined = process.env.TEST_DATABASE_URL || undefined;

export interface TestDatabase {
  readonly url: string;
  /** Runs one statement on a connection of its own. */
  query(sql: string): Promise<Record<string, unknown>[]>;
  /** Empties all tables but those that tell which migrations were made. */
  empty(): Promise<void>;
  drop(): Promise<void>;
}

/** An empty database with a name of its own. */
export async function createTestDatabase(serverUrl: string): Promise<TestDatabase> {
  const name = `docs_agent_test_${randomUUID().replaceAll('-', '')}`;
  await queryAt(serverUrl, `create database ${name}`);
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return {
    url: url.href,
    query: (sql) => queryAt(url.href, sql),
    empty: async () => {
      const found = await queryAt(
        url.href,
        "select quote_ident(tablename) as name from pg_tables where schemaname = 'public' and tablename not like 'kysely_%'",
      );
      // `truncate` makes new files. In one statement, because rows refer to rows of other tables.
      const deletions = found.map(({ name }) => `${name}_ as (delete from ${name})`);
      await queryAt(url.href, `with ${deletions.join(', ')} select`);
    },
    drop: async () => {
      await queryAt(serverUrl, `drop database ${name} with (force)`);
    },
  };
}

/** An empty database of a role that may have so many connections: a superuser would be exempt. */
export async function createLimitedDatabase(
  serverUrl: string,
  connections: number,
): Promise<Pick<TestDatabase, 'url' | 'drop'>> {
  const database = await createTestDatabase(serverUrl);
  const url = new URL(database.url);
  const name = url.pathname.slice(1);
  await queryAt(serverUrl, `create role ${name} login password 'hush' connection limit ${connections}`);
  await queryAt(serverUrl, `alter database ${name} owner to ${name}`);
  url.username = name;
  url.password = 'hush';
  return {
    url: url.href,
    drop: async () => {
      await database.drop();
      await queryAt(serverUrl, `drop role ${name}`);
    },
  };
}

/** Another session that keeps the row of this job locked until it is released. */
export async function lockedJob(url: string, jobId: string): Promise<{ release(): Promise<void> }> {
  const session = new Client({ connectionString: url, application_name: 'psql' });
  // Dropping the database ends it.
  session.on('error', () => {});
  await session.connect();
  await session.query('begin');
  await session.query('select * from job where id = $1 for update', [jobId]);
  return { release: () => session.end() };
}

/** Runs one statement on a connection of its own, and lets it take its time. */
export async function queryAt(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new Client(url);
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}
