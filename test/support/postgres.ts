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
