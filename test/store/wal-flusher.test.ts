import { closeSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { StoreError } from '../../src/store/engines/database.ts';
import { walFlusher } from '../../src/store/engines/sqlite.ts';
import { openStore } from '../../src/store/open.ts';
import { createTempDir } from '../support/temp-dir.ts';

describe.skipIf(process.platform !== 'linux')('after a flush that failed', () => {
  test('none is trusted again, even if it would succeed', async () => {
    await using folder = await createTempDir();
    const path = join(folder.path, 'docs-agent.db-wal');
    await writeFile(path, '');
    const wal = walFlusher(folder.path, path);
    const [broken = NaN, good = NaN] = flushersOf(folder.path);
    onTestFinished(() => closeSync(good));
    closeSync(broken);
    const flush = () =>
      wal.flush().then(
        () => true,
        () => false,
      );
    const first = await flush();
    if (first) expect(await flush()).toBe(false);
    for (const _ of [1, 2])
      await expect(wal.flush()).rejects.toThrow(/could not be flushed.*restart docs-agent/);
    expect(() => wal.verify()).toThrow(StoreError);
  });

  test('a request may be stored, and nothing more is accepted until the store is opened again', async () => {
    await using folder = await createTempDir();
    const store = await openStore({ dataDir: folder.path });
    const remember = (key: string) => store.transaction((tx) => tx.inboundRequests.remember([key], 1));
    await remember('a');
    for (const descriptor of flushersOf(folder.path)) closeSync(descriptor);
    const failing = await remember('b').catch((error: unknown) => error);
    expect(failing).toMatchObject({ mayBeCommitted: true, message: expect.stringContaining('(EBADF)') });
    const refused = await remember('c').catch((error: unknown) => error);
    expect(refused).toMatchObject({ mayBeCommitted: false, message: expect.stringContaining('restart') });
    await expect(store.check()).rejects.toThrow(StoreError);
    await store.close().catch(() => {});
    const again = await openStore({ dataDir: folder.path });
    onTestFinished(() => again.close());
    expect(await again.transaction((tx) => tx.inboundRequests.remember(['a'], 1))).toBe(false);
  });
});

/** The descriptors of the log that only read; SQLite's own writes, too. */
function flushersOf(dataDir: string): number[] {
  const READS_ONLY = /^flags:\s*\d*0$/m;
  return readdirSync('/proc/self/fd')
    .filter((name) => {
      try {
        const isLog = readlinkSync(`/proc/self/fd/${name}`) === join(dataDir, 'docs-agent.db-wal');
        return isLog && READS_ONLY.test(readFileSync(`/proc/self/fdinfo/${name}`, 'utf8'));
      } catch {
        return false;
      }
    })
    .map(Number);
}
