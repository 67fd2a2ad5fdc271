import { randomUUID } from 'node:crypto';
import { Client } from 'pg';

/** A Postgres server for tests, with a user who may create databases: `postgres://user@127.0.0.1:5432/postgres`. */
export const testServerUrl: string | undefined = process.env.TEST_DATABASE_URL || undefined;

export interface TestDatabase {
  readonly url: string;
  /** Runs one statement on a connection of its own. */
  query(sql: string): Promise<Record<string, unknown>[]>;
  /** Empties all tables but those that tell which migrations were made. */
  truncate(): Promise<void>;
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
    truncate: async () => {
      const found = await queryAt(
        url.href,
        "select quote_ident(tablename) as name from pg_tables where schemaname = 'public' and tablename not like 'kysely_%'",
      );
      await queryAt(url.href, `truncate ${found.map(({ name }) => name).join(', ')}`);
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
