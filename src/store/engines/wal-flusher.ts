import { closeSync, fdatasync, openSync } from 'node:fs';
import { promisify } from 'node:util';
import { codeOf, StoreError } from '../errors.ts';

const sync = promisify(fdatasync);

export interface WalFlusher {
  /**
   * Resolves once all that was appended to the write-ahead log before the call is on disk. Rejects with a StoreError, and
   * from then on always: what is on disk is unknown, and the file must be opened again.
   */
  flush(): Promise<void>;
  /** Throws once a flush has failed. */
  verify(): void;
  close(): void;
}

/**
 * Flushes SQLite's write-ahead log without holding up the event loop, as SQLite itself would. With `synchronous=normal`
 * it leaves that to the checkpoints, and after a power cut it recovers the log up to its last complete transaction
 * (https://sqlite.org/wal.html). The descriptor is of the log alone: opening and closing the database file would release
 * SQLite's locks. SQLite keeps the log for as long as the database is open, so `path` exists by then.
 *
 * All descriptors are opened here: a flush that had to open one could fail under load, where nothing is wrong with the
 * disk. Throws if that fails.
 */
export function walFlusher(directory: string, path: string, flushesAtOnce: number): WalFlusher {
  /** The descriptors that no flush uses. Of several flushes at a descriptor, only one would learn of an error. */
  const free = Array.from({ length: flushesAtOnce }, () => openSync(path, 'r'));
  /** The code of a flush that failed. */
  let failed: string | null = null;

  function failure(code: string): StoreError {
    return new StoreError(
      `The store in ${directory} could not be flushed to the disk (${code}), so it is unknown what is stored. Look for ` +
        'faults of the disk, and restart docs-agent.',
      code,
    );
  }

  return {
    flush: async () => {
      try {
        // What a failed flush was to write may be lost even if the next one succeeds, and with it all that came after.
        if (failed === null) {
          const descriptor = free.shift();
          if (descriptor === undefined) throw new Error('more flushes at once than descriptors');
          await sync(descriptor).finally(() => free.push(descriptor));
        }
      } catch (error) {
        failed = codeOf(error) ?? 'unknown error';
      }
      if (failed !== null) throw Object.assign(failure(failed), { mayBeCommitted: true });
    },
    verify: () => {
      if (failed !== null) throw failure(failed);
    },
    close: () => {
      for (const descriptor of free.splice(0)) closeSync(descriptor);
    },
  };
}
