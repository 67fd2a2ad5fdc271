import { rmSync, statfsSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { codeOf, StoreError } from './errors.ts';
import type { Queries } from './schema/tables.ts';

/** Empty files: the first has the time of the last backup, the second is there if the last try failed. */
const LAST_BACKUP_FILE = 'last-backup';
const BACKUP_FAILED_FILE = 'backup-failed';

/** What is to be watched of an embedded store, beside what it holds. */
export interface DataDirState {
  /** Left on the disk. */
  readonly freeBytes: number;
  /** 0: none was made yet, or none since the store was restored. */
  readonly lastBackupAtMs: number;
  readonly hasBackupFailed: boolean;
}

/** Null: the directory cannot be looked at. */
export function readDataDir(dataDir: string): DataDirState | null {
  const timeOf = (name: string) => statSync(join(dataDir, name), { throwIfNoEntry: false })?.mtimeMs;
  try {
    return {
      freeBytes: freeBytesIn(dataDir),
      lastBackupAtMs: timeOf(LAST_BACKUP_FILE) ?? 0,
      hasBackupFailed: timeOf(BACKUP_FAILED_FILE) !== undefined,
    };
  } catch {
    return null;
  }
}

export function freeBytesIn(directory: string): number {
  const { bavail, bsize } = statfsSync(directory);
  return bavail * bsize;
}

/** For the metrics of the running program. Throws StoreError. */
export function recordBackup(dataDir: string, nowMs: number): void {
  const path = join(dataDir, LAST_BACKUP_FILE);
  try {
    writeFileSync(path, '', { mode: 0o600 });
    utimesSync(path, nowMs / 1000, nowMs / 1000);
    rmSync(join(dataDir, BACKUP_FAILED_FILE), { force: true });
  } catch (error) {
    throw new StoreError(
      `The backup is made, but ${resolve(dataDir)} cannot be written (${codeOf(error) ?? 'unknown error'}), so ` +
        'the metrics do not know of it. Let this user write there, on a disk with free space.',
      codeOf(error),
    );
  }
}

export function recordFailedBackup(dataDir: string): void {
  try {
    writeFileSync(join(dataDir, BACKUP_FAILED_FILE), '', { mode: 0o600 });
  } catch {
    // The failure itself is what is reported; the age of the last backup shows it, too.
  }
}

/** Where a store was copied to, or null. */
export async function movedTo(
  queries: Queries,
): Promise<{ readonly place: string; readonly at: number } | null> {
  return (await queries.selectFrom('moved').selectAll().executeTakeFirst()) ?? null;
}

/** Two programs on the same jobs would do everything twice. */
export async function refuseMoved(queries: Queries, place: string): Promise<void> {
  const moved = await movedTo(queries);
  if (moved === null) return;
  const when = new Date(moved.at).toISOString();
  throw new StoreError(
    `The store in ${place} was copied to ${moved.place} (begun ${when}). Start docs-agent on that one. If the copy was ` +
      'interrupted, run `docs-agent copy-store` again. If the copy is not to be used, delete it first, and then the row ' +
      'of the table "moved" in this store: on both, docs-agent would do everything twice.',
  );
}
