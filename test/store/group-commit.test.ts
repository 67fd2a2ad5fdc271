import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import { openStore } from '../../src/store/open.ts';
import type { Store, Transaction } from '../../src/store/store.ts';
import { fc } from '../support/properties.ts';

const root = mkdtempSync(join(tmpdir(), 'docs-agent-group-'));
afterAll(() => rmSync(root, { recursive: true }));

const FRAME_HEADER_SIZE = 24;
const WAL_HEADER_SIZE = 32;
const PAGE_SIZE_AT = 8;
const SIZE_AFTER_COMMIT_AT = 4;

async function newStore(): Promise<{ store: Store; dataDir: string }> {
  const dataDir = mkdtempSync(join(root, 'data-'));
  const store = await openStore({ dataDir });
  onTestFinished(() => store.close());
  return { store, dataDir };
}

/** How many commits the write-ahead log of SQLite holds (https://sqlite.org/fileformat2.html#the_write_ahead_log). */
function commitsIn(dataDir: string): number {
  const log = readFileSync(join(dataDir, 'docs-agent.db-wal'));
  const frameSize = FRAME_HEADER_SIZE + log.readUInt32BE(PAGE_SIZE_AT);
  let commits = 0;
  for (let at = WAL_HEADER_SIZE; at + frameSize <= log.length; at += frameSize) {
    if (log.readUInt32BE(at + SIZE_AFTER_COMMIT_AT) > 0) commits += 1;
  }
  return commits;
}

/** The requests that another process would find on the disk. */
function durable(dataDir: string): number {
  const file = new DatabaseSync(join(dataDir, 'docs-agent.db'), { readOnly: true });
  const count = file.prepare('select count(*) as n from inbound_request').get()?.n;
  file.close();
  return Number(count);
}

const remember = (key: string) => (tx: Transaction) => tx.inboundRequests.remember([key], 1);

describe('transactions that arrive together', () => {
  test('wait for the disk once', async () => {
    const { store, dataDir } = await newStore();
    const before = commitsIn(dataDir);
    await Promise.all(Array.from({ length: 50 }, (_, n) => store.transaction(remember(`event:${n}`))));
    expect(durable(dataDir)).toBe(50);
    expect(commitsIn(dataDir) - before).toBe(1);
  });

  test('have ended only when they are on the disk', async () => {
    const { store, dataDir } = await newStore();
    const seen = await Promise.all(
      Array.from({ length: 10 }, (_, n) =>
        store.transaction(remember(`event:${n}`)).then(() => durable(dataDir)),
      ),
    );
    expect(seen).toEqual(new Array(10).fill(10));
  });

  test('whichever fail, they alone are undone', async () => {
    const members = fc.array(fc.record({ key: fc.integer({ min: 0, max: 5 }), fails: fc.boolean() }), {
      minLength: 1,
      maxLength: 12,
    });
    await fc.assert(
      fc.asyncProperty(members, async (all) => {
        const { store, dataDir } = await newStore();
        const ends = await Promise.allSettled(
          all.map(({ key, fails }, n) =>
            store.transaction(async (tx) => {
              const isNew = await remember(`event:${key}`)(tx);
              if (fails) throw new Error(`failed: ${n}`);
              return isNew;
            }),
          ),
        );
        const known = new Set<number>();
        const expected = all.map(({ key, fails }, n) => {
          if (fails) return { status: 'rejected', reason: new Error(`failed: ${n}`) };
          const value = !known.has(key);
          known.add(key);
          return { status: 'fulfilled', value };
        });
        expect(ends).toEqual(expected);
        expect(durable(dataDir)).toBe(known.size);
        await store.close();
      }),
      { numRuns: 40 },
    );
  });
});
