import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { StoreError } from '../../src/store/engines/database.ts';
import { openStore } from '../../src/store/open.ts';
import type { Store } from '../../src/store/store.ts';

const root = mkdtempSync(join(tmpdir(), 'docs-agent-held-'));
afterAll(() => rmSync(root, { recursive: true }));

/** How long a test lets another program hold the file; the program waits for five seconds. */
const A_MOMENT_MS = 300;
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

  test('transactions wait, everything else goes on, and all are done when it is free', async () => {
    const writes = Promise.all([write('1'), write('2'), store.check()]);
    let turns = 0;
    for (const endsAtMs = Date.now() + A_MOMENT_MS; Date.now() < endsAtMs; turns += 1) await sleep(1);
    expect(turns).toBeGreaterThan(20);
    other.exec('rollback');
    expect(await writes).toEqual([true, true, undefined]);
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
