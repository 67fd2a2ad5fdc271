import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { sql } from 'kysely';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import { StoreError } from '../../src/store/engines/database.ts';
import { openSqlite } from '../../src/store/engines/sqlite.ts';
import { openStore } from '../../src/store/open.ts';
import { migrate, migrations } from '../../src/store/schema/migrations.ts';
import { SqlStore, type Store } from '../../src/store/store.ts';

const root = mkdtempSync(join(tmpdir(), 'docs-agent-store-'));
let directories = 0;
afterAll(() => rmSync(root, { recursive: true }));

function newDirectory(): string {
  directories += 1;
  return join(root, `data-${directories}`);
}

async function open(dataDir: string): Promise<Store> {
  const store = await openStore({ dataDir });
  onTestFinished(() => store.close());
  return store;
}

async function failureOf(dataDir: string): Promise<string> {
  const error = await openStore({ dataDir }).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(StoreError);
  return error instanceof Error ? error.message : '';
}

describe('the directory of the store', () => {
  test('is made, with those above it', async () => {
    const dataDir = join(newDirectory(), 'deeper', 'still');
    await (await open(dataDir)).check();
  });

  test('is closed to others, and so are its files, also where it was there before', async () => {
    const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);
    const made = newDirectory();
    await open(made);
    expect(modeOf(made)).toBe('700');
    const foreign = newDirectory();
    mkdirSync(foreign, { mode: 0o755 });
    const store = await open(foreign);
    await store.transaction((tx) => tx.inboundRequests.remember(['event:1'], 1));
    const files = readdirSync(foreign).map((name) => `${name} ${modeOf(join(foreign, name))}`);
    expect(files.sort()).toEqual([
      'docs-agent.db 600',
      'docs-agent.db-shm 600',
      'docs-agent.db-wal 600',
      'owner.db 600',
      'owner.db-journal 600',
    ]);
  });

  test('keeps what was written', async () => {
    const dataDir = newDirectory();
    const first = await open(dataDir);
    await first.transaction((tx) => tx.inboundRequests.remember(['event:1'], 1));
    await first.close();
    const second = await open(dataDir);
    expect(await second.transaction((tx) => tx.inboundRequests.remember(['event:1'], 1))).toBe(false);
  });

  test('belongs to one docs-agent at a time', async () => {
    const dataDir = newDirectory();
    const first = await open(dataDir);
    const failure = await failureOf(dataDir);
    expect(failure).toContain(dataDir);
    expect(failure).toContain('another docs-agent');
    expect(failure).toContain('DATABASE_URL');
    await first.close();
    await (await open(dataDir)).check();
  });

  test('must be a directory', async () => {
    const dataDir = newDirectory();
    await (await open(newDirectory())).close();
    writeFileSync(dataDir, '');
    expect(await failureOf(dataDir)).toMatch(/not a directory.*DATA_DIR/);
    expect(await failureOf(join(dataDir, 'below'))).toMatch(/not a directory.*DATA_DIR/);
  });

  test.skipIf(process.platform !== 'linux')('must be where directories can be made', async () => {
    expect(await failureOf('/proc/docs-agent')).toMatch(/cannot be created.*DATA_DIR/);
    expect(await failureOf('/proc/docs-agent/below')).toMatch(/cannot be created.*DATA_DIR/);
  });

  test('must be writable', async () => {
    const dataDir = newDirectory();
    await (await open(dataDir)).close();
    chmodSync(root, 0o755);
    chmodSync(dataDir, 0o555);
    asNobody();
    expect(await failureOf(dataDir)).toMatch(/Let docs-agent write/);
    expect(await failureOf(join(dataDir, 'below'))).toMatch(/cannot be created.*DATA_DIR/);
  });

  test('must hold a database, not something else; it is free again after a failure', async () => {
    const dataDir = newDirectory();
    await (await open(dataDir)).close();
    const file = join(dataDir, 'docs-agent.db');
    writeFileSync(file, 'This is not a database.'.repeat(1_000));
    expect(await failureOf(dataDir)).toMatch(/not a database.*damaged.*backup/);
    rmSync(file);
    await (await open(dataDir)).check();
  });
});

test('a commit appends to the log, which is flushed beside the event loop', async () => {
  const { queries, close } = openSqlite(newDirectory());
  onTestFinished(close);
  const pragmas = sql<{ journalMode: string; synchronous: number; foreignKeys: number }>`
    select * from pragma_journal_mode, pragma_synchronous, pragma_foreign_keys`;
  const NORMAL = 1;
  expect((await pragmas.execute(queries)).rows).toMatchObject([
    { journalMode: 'wal', synchronous: NORMAL, foreignKeys: 1 },
  ]);
});

test('a transaction keeps other programs from writing, from its start', async () => {
  const dataDir = newDirectory();
  const store = await open(dataDir);
  const other = new DatabaseSync(join(dataDir, 'docs-agent.db'), { timeout: 0 });
  onTestFinished(() => other.close());
  await store.transaction(async () => {
    expect(() => other.exec('begin immediate')).toThrow('locked');
  });
  other.exec('begin immediate');
});

test('a full disk undoes the transaction and says so; the next one works', async () => {
  const database = openSqlite(newDirectory());
  onTestFinished(database.close);
  await migrate(database, migrations(database.engine));
  const store = new SqlStore(database);
  await sql`pragma max_page_count = 100`.execute(database.queries);
  const flood = store.transaction(async (tx) => {
    await tx.inboundRequests.remember(['event:1'], 1);
    for (let number = 0; ; number += 1) await tx.inboundRequests.remember([`${number}`.repeat(1_000)], 1);
  });
  await expect(flood).rejects.toThrow(/full.*Make room/);
  expect(await store.transaction((tx) => tx.inboundRequests.remember(['event:1'], 1))).toBe(true);
});

test('an error at which SQLite rolls back by itself is reported as it is', async () => {
  const dataDir = newDirectory();
  const store = await open(dataDir);
  const other = new DatabaseSync(join(dataDir, 'docs-agent.db'));
  other.exec(`create trigger fault before insert on inbound_request when exists (select * from inbound_request)
    begin select raise(rollback, 'the disk failed'); end`);
  other.close();
  const failing = store.transaction(async (tx) => {
    await tx.inboundRequests.remember(['event:1'], 1);
    await tx.inboundRequests.remember(['event:2'], 1);
  });
  await expect(failing).rejects.toThrow('the disk failed');
  expect(await store.transaction((tx) => tx.inboundRequests.remember(['event:1'], 1))).toBe(true);
});

describe('a process that is killed', () => {
  test('holds the directory until then, loses no commit, and leaves its tasks to the next', async () => {
    const dataDir = newDirectory();
    const child = spawn(process.execPath, [
      fileURLToPath(new URL('./store-process.ts', import.meta.url)),
      dataDir,
    ]);
    onTestFinished(() => {
      child.kill('SIGKILL');
    });
    const committed = await killAfter(child, 25, async () => {
      expect(await failureOf(dataDir)).toContain('another docs-agent');
    });
    expect(committed.length).toBeGreaterThanOrEqual(25);

    const store = await open(dataDir);
    await store.transaction(async (tx) => {
      for (const number of committed)
        expect(await tx.inboundRequests.remember([`event:${number}`], 1)).toBe(false);
      const lease = { leaseNowMs: 1, leaseUntilMs: 2, inFlight: [] };
      const claim = { kinds: ['check_job'], nowMs: 1, ...lease, limit: 1 } as const;
      expect(await tx.tasks.claim(claim)).toMatchObject([{ subject: 'job-1' }]);
    });
  });
});

/** Kills the process after it has printed some lines; returns all lines that it printed. */
async function killAfter(child: ChildProcess, count: number, before: () => Promise<void>): Promise<string[]> {
  if (child.stdout === null) throw new Error('the process prints to a pipe');
  const closed = once(child, 'close');
  const lines: string[] = [];
  for await (const line of createInterface(child.stdout)) {
    lines.push(line);
    if (lines.length !== count) continue;
    await before();
    child.kill('SIGKILL');
  }
  await closed;
  return lines;
}

/** Root may write everywhere. */
function asNobody(): void {
  if (process.geteuid?.() !== 0) return;
  process.seteuid?.(65_534);
  onTestFinished(() => process.seteuid?.(0));
}
