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
import { codeOf, StoreError } from './engines/database.ts';
import { BUSY_TIMEOUT_MS, connect, DATABASE_FILE, makeDirectory, openBeside } from './engines/sqlite.ts';
import { isFull, sqliteError } from './engines/sqlite-errors.ts';
import { schemaState } from './schema/migrations.ts';

/** Empty; its modification time is the last backup's. */
const LAST_BACKUP_FILE = 'last-backup';
const BACKUP_FAILED_FILE = 'backup-failed';

export type DataDirState = Readonly<{
  freeBytes: number;
  /** 0: none since creation or restore. */
  lastBackupAtMs: number;
  hasBackupFailed: boolean;
}>;

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

const BACKUP = /^docs-agent-\d{4}-\d{2}-\d{2}T\d{2}-\d{2}-\d{2}Z\.db$/;
const PARTIAL = /^docs-agent-.*\.db\.partial(-journal)?$/;
const ABANDONED_AFTER_MS = 86_400_000;

type BackupOptions = Readonly<{
  directory: string;
  /** Counts only this installation's. */
  keep: number;
  nowMs: number;
}>;

/** The copy gets its final name once it is flushed and verified. Throws StoreError. */
export async function backUp(dataDir: string, options: BackupOptions) {
  const store = resolve(dataDir);
  if (!existsSync(join(store, DATABASE_FILE))) {
    throw new StoreError(`There is no store in ${store} yet. If it is elsewhere, set DATA_DIR.`);
  }
  const directory = resolve(options.directory);
  const { keep, nowMs } = options;
  const { path, earlier } = await makeBackup(store, directory, nowMs).catch((error: unknown) => {
    recordFailedBackup(store);
    throw error instanceof StoreError ? error : unusable(directory, codeOf(error));
  });
  recordBackup(store, nowMs);
  const superfluous = earlier.slice(0, Math.max(0, earlier.length + 1 - keep));
  const deleted = [...superfluous, ...abandonedIn(directory, nowMs)];
  for (const old of deleted) rmSync(old, { force: true });
  return { path, sizeBytes: statSync(path).size, deleted };
}

async function makeBackup(store: string, directory: string, nowMs: number) {
  const path = claimFile(directory, nowMs);
  const partial = partialOf(path);
  try {
    const earlier = copy(store, directory, partial);
    await verify(partial);
    flush(partial);
    renameSync(partial, path);
    flush(directory);
    return { path, earlier };
  } catch (error) {
    rmSync(partial, { force: true });
    throw error;
  }
}

function recordBackup(store: string, nowMs: number) {
  const path = join(store, LAST_BACKUP_FILE);
  try {
    writeFileSync(path, '', { mode: 0o600 });
    utimesSync(path, nowMs / 1000, nowMs / 1000);
    rmSync(join(store, BACKUP_FAILED_FILE), { force: true });
  } catch (error) {
    throw new StoreError(
      `The backup is made, but ${store} cannot be written (${codeOf(error) ?? 'unknown error'}), so ` +
        'the metrics do not know of it. Let this user write there, on a disk with free space.',
      codeOf(error),
    );
  }
}

function recordFailedBackup(store: string) {
  try {
    writeFileSync(join(store, BACKUP_FAILED_FILE), '', { mode: 0o600 });
  } catch {
    // The age of the last backup shows it, too.
  }
}

/** Private: it holds prompts. SQLite accepts an empty target file. */
function claimFile(directory: string, nowMs: number) {
  makeDirectory(directory);
  for (let atMs = nowMs; ; atMs += 1_000) {
    const time = new Date(atMs).toISOString().slice(0, 19).replaceAll(':', '-');
    const path = join(directory, `docs-agent-${time}Z.db`);
    try {
      closeSync(openSync(partialOf(path), 'wx', 0o600));
      if (!existsSync(path)) return path;
      rmSync(partialOf(path));
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') throw error;
    }
  }
}

const partialOf = (path: string) => `${path}.partial`;

/** Does not block writers. Returns this installation's earlier backups, oldest first. */
function copy(store: string, directory: string, to: string): readonly string[] {
  try {
    using source = connect(join(store, DATABASE_FILE), { timeout: BUSY_TIMEOUT_MS });
    source.prepare('vacuum into ?').run(to);
    using file = connect(to, { timeout: BUSY_TIMEOUT_MS });
    // Valid for minutes.
    file.exec('pragma secure_delete = on; delete from step_token');
    const own = originOf(to);
    if (own === null) return [];
    const earlier = readdirSync(directory)
      .filter((name) => BACKUP.test(name))
      .flatMap((name) => originOf(join(directory, name)) ?? [])
      .filter(({ installationId }) => installationId === own.installationId)
      .toSorted((a, b) => a.sequence - b.sequence || a.path.localeCompare(b.path));
    const sequence = 1 + Math.max(own.sequence, ...earlier.map((one) => one.sequence));
    file.prepare('update backup_origin set sequence = ?').run(sequence);
    return earlier.map(({ path }) => path);
  } catch (error) {
    // Only the copy takes space.
    throw isFull(error) ? unusable(directory, 'ENOSPC') : sqliteError(store, error);
  }
}

function originOf(path: string) {
  try {
    using file = connect(path, { readOnly: true });
    const row = file.prepare('select installation_id, sequence from backup_origin').get();
    return row === undefined
      ? null
      : { path, installationId: row.installation_id, sequence: Number(row.sequence) };
  } catch {
    return null;
  }
}

async function verify(path: string) {
  using file = connect(path, { readOnly: true });
  const found = file.prepare('pragma integrity_check').get()?.integrity_check;
  const queries = openBeside(path, true);
  const { applied } = await schemaState(queries).finally(() => queries.destroy());
  if (found === 'ok' && applied.length > 0) return;
  const what = found === 'ok' ? 'it has no tables of docs-agent' : `SQLite says: ${found}`;
  throw new StoreError(`The backup is unusable and was not kept: ${what}. Check the store itself.`);
}

function flush(path: string) {
  const descriptor = openSync(path, 'r');
  fsyncSync(descriptor);
  closeSync(descriptor);
}

function abandonedIn(directory: string, nowMs: number) {
  const changedAtMs = (path: string) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? nowMs;
  return readdirSync(directory)
    .filter((name) => PARTIAL.test(name))
    .map((name) => join(directory, name))
    .filter((path) => nowMs - changedAtMs(path) > ABANDONED_AFTER_MS);
}

function unusable(directory: string, code: string | null) {
  return new StoreError(
    `The backup cannot be written to ${directory} (${code ?? 'unknown error'}). ` +
      'Name a directory that this user may write to, on a disk with free space.',
    code,
    code === 'ENOSPC',
  );
}
