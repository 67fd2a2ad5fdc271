import {
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statfsSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { codeOf, StoreError } from './engines/connection-turns.ts';
import { BUSY_TIMEOUT_MS, connect, DATABASE_FILE, makeDirectory, openBeside } from './engines/sqlite.ts';
import { isFull, sqliteError } from './engines/sqlite-errors.ts';
import { schemaState } from './schema/migrations.ts';
import type { Queries } from './schema/tables.ts';

/** Empty files: the first has the time of the last backup, the second is there if the last try failed. */
const LAST_BACKUP_FILE = 'last-backup';
const BACKUP_FAILED_FILE = 'backup-failed';

/** What is to be watched of an embedded store, beside what it holds. */
export type DataDirState = Readonly<{
  freeBytes: number;
  /** 0: none was made yet, or none since the store was restored. */
  lastBackupAtMs: number;
  hasBackupFailed: boolean;
}>;

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
function recordBackup(dataDir: string, nowMs: number): void {
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

function recordFailedBackup(dataDir: string): void {
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

const BACKUP = /^docs-agent-\d{4}-\d{2}-\d{2}T\d{2}-\d{2}-\d{2}Z\.db$/;
const PARTIAL = /^docs-agent-.*\.db\.partial(-journal)?$/;
const ABANDONED_AFTER_MS = 86_400_000;

export type BackupOptions = Readonly<{
  /** Created if missing, with access for this user only. */
  directory: string;
  /** How many of the newest of this installation to keep. */
  keep: number;
  nowMs: number;
}>;

export type Backup = Readonly<{
  path: string;
  sizeBytes: number;
  deleted: readonly string[];
}>;

/**
 * Copies the embedded store, even while a docs-agent uses it. The copy gets its final name once it is complete, flushed
 * to disk and verified. How it ended is recorded beside the store, for its metrics. Throws StoreError.
 */
export async function backUp(dataDir: string, options: BackupOptions): Promise<Backup> {
  const database = join(resolve(dataDir), DATABASE_FILE);
  if (!existsSync(database)) {
    throw new StoreError(`There is no store in ${resolve(dataDir)} yet. If it is elsewhere, set DATA_DIR.`);
  }
  let backup: Backup;
  try {
    backup = await makeBackup(dataDir, database, options);
  } catch (error) {
    recordFailedBackup(dataDir);
    throw error;
  }
  recordBackup(dataDir, options.nowMs);
  return backup;
}

async function makeBackup(
  dataDir: string,
  database: string,
  { directory: named, keep, nowMs }: BackupOptions,
): Promise<Backup> {
  const directory = resolve(named);
  const path = claimFile(directory, nowMs);
  const partial = partialOf(path);
  let earlier: readonly string[] = [];
  try {
    earlier = copy(resolve(dataDir), database, directory, partial);
    await verify(directory, partial);
    flush(partial);
    renameSync(partial, path);
    flush(directory);
  } catch (error) {
    rmSync(partial, { force: true });
    throw error instanceof StoreError ? error : unusable(directory, codeOf(error));
  }
  const deleted = [
    ...earlier.slice(0, Math.max(0, earlier.length + 1 - keep)),
    ...abandonedIn(directory, nowMs),
  ];
  for (const old of deleted) rmSync(old, { force: true });
  return { path, sizeBytes: statSync(path).size, deleted };
}

/**
 * The path of the backup: of this second, or of the first one after it that nobody has taken. The file holds prompts, so
 * only this user may read it. SQLite writes into an existing empty file.
 */
function claimFile(directory: string, nowMs: number): string {
  try {
    makeDirectory(directory);
  } catch (error) {
    throw unusable(directory, codeOf(error));
  }
  for (let atMs = nowMs; ; atMs += 1_000) {
    const time = new Date(atMs).toISOString().slice(0, 19).replaceAll(':', '-');
    const path = join(directory, `docs-agent-${time}Z.db`);
    try {
      closeSync(openSync(partialOf(path), 'wx', 0o600));
      if (!existsSync(path)) return path;
      rmSync(partialOf(path));
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') throw unusable(directory, codeOf(error));
    }
  }
}

const partialOf = (path: string) => `${path}.partial`;

/**
 * A snapshot of one moment, however long it takes; writers are not blocked. Returns the earlier backups, the oldest
 * first.
 */
function copy(dataDir: string, from: string, directory: string, to: string): readonly string[] {
  try {
    using source = connect(from, { timeout: BUSY_TIMEOUT_MS });
    source.prepare('vacuum into ?').run(to);
    using file = connect(to, { timeout: BUSY_TIMEOUT_MS });
    // They are valid for a few minutes: in a backup, secrets would be of no use.
    file.exec('pragma secure_delete = on; delete from step_token');
    return number(directory, to, file);
  } catch (error) {
    // Only the copy takes space.
    throw isFull(error) ? unusable(directory, 'ENOSPC') : sqliteError(dataDir, error);
  }
}

type Origin = Readonly<{
  installationId: string;
  sequence: number;
}>;

/** Null: the file is none of ours, or cannot be read. */
function originOf(path: string): Origin | null {
  try {
    using file = connect(path, { readOnly: true });
    const row = file.prepare('select installation_id, sequence from backup_origin').get();
    return row === undefined
      ? null
      : { installationId: String(row.installation_id), sequence: Number(row.sequence) };
  } catch {
    return null;
  }
}

/** Writes into the copy which backup of its installation it is. Returns the earlier ones, the oldest first. */
function number(directory: string, path: string, copy: DatabaseSync): readonly string[] {
  const own = originOf(path);
  if (own === null) return [];
  const earlier = readdirSync(directory)
    .filter((name) => BACKUP.test(name))
    .map((name) => join(directory, name))
    .flatMap((path) => {
      const origin = originOf(path);
      return origin?.installationId === own.installationId ? [{ path, sequence: origin.sequence }] : [];
    })
    .toSorted((a, b) => a.sequence - b.sequence || a.path.localeCompare(b.path));
  const sequence = 1 + Math.max(own.sequence, ...earlier.map((one) => one.sequence));
  copy.prepare('update backup_origin set sequence = ?').run(sequence);
  return earlier.map(({ path }) => path);
}

async function verify(directory: string, path: string): Promise<void> {
  using file = connect(path, { readOnly: true });
  const found = file.prepare('pragma integrity_check').get()?.integrity_check;
  const queries = openBeside(directory, path, true);
  const { applied } = await schemaState(queries).finally(() => queries.destroy());
  if (found === 'ok' && applied.length > 0) return;
  const what = found === 'ok' ? 'it has no tables of docs-agent' : `SQLite says: ${found}`;
  throw new StoreError(`The backup is unusable and was not kept: ${what}. Check the store itself.`);
}

function flush(path: string): void {
  const descriptor = openSync(path, 'r');
  fsyncSync(descriptor);
  closeSync(descriptor);
}

/** What killed processes left behind. */
function abandonedIn(directory: string, nowMs: number): string[] {
  return readdirSync(directory)
    .filter((name) => PARTIAL.test(name))
    .map((name) => join(directory, name))
    .filter(
      (path) => nowMs - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? nowMs) > ABANDONED_AFTER_MS,
    );
}

function unusable(directory: string, code: string | null): StoreError {
  return new StoreError(
    `The backup cannot be written to ${directory} (${code ?? 'unknown error'}). ` +
      'Name a directory that this user may write to, on a disk with free space.',
    code,
    code === 'ENOSPC',
  );
}
