import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import { StoreError } from '../../src/store/engines/database.ts';
import { openStore } from '../../src/store/open.ts';
import type { Store } from '../../src/store/store.ts';

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

/** Root may write everywhere. */
function asNobody(): void {
  if (process.geteuid?.() !== 0) return;
  process.seteuid?.(65_534);
  onTestFinished(() => process.seteuid?.(0));
}
