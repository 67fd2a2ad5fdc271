import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { StoreError } from '../../src/store/engines/database.ts';
import { openStore } from '../../src/store/open.ts';
import type { Store } from '../../src/store/store.ts';

const root = mkdtempSync(join(tmpdir(), 'docs-agent-held-'));
afterAll(() => rmSync(root, { recursive: true }));

/** How long a test lets another program hold the file; the program waits for five seconds. */
const TOO_LONG_MS = 5_500;

describe('while another program holds the database', () => {
  let store: Store;
  let other: DatabaseSync;
  const write = (key: string) => store.transaction((tx) => tx.inboundRequests.remember([`event:${key}`], 1));
  beforeEach(async () => {
    const dataDir = mkdtempSync(join(root, 'data-'));
    store = await openStore({ dataDir });
    other = new DatabaseSync(join(dataDir, 'docs-agent.db'));
    onTestFinished(async () => {
      other.close();
      await store.close();
    });
    other.exec('begin immediate');
  });

  test('for too long, all waiters fail at once, and later work succeeds when it is free', async () => {
    const beganAtMs = Date.now();
    const ends = await Promise.allSettled(['1', '2', '3'].map(write));
    expect(ends.map((end) => end.status === 'rejected' && end.reason)).toEqual(
      new Array(3).fill(expect.any(StoreError)),
    );
    expect(Date.now() - beganAtMs).toBeLessThan(2 * TOO_LONG_MS);
    other.exec('rollback');
    expect(await write('1')).toBe(true);
  });
});
