import {
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import {
  BUSY_TIMEOUT_MS,
  connect,
  DATABASE_FILE,
  makeDirectory,
  noFlush,
  queriesOn,
} from './engines/sqlite.ts';
import { isFull, sqliteError } from './engines/sqlite-errors.ts';
import { codeOf, StoreError } from './errors.ts';
import { schemaState } from './schema/migrate.ts';
import { migrations } from './schema/migrations.ts';

/** Names sort by time. */
const BACKUP = /^docs-agent-\d{4}-\d{2}-\d{2}T\d{2}-\d{2}-\d{2}Z\.db$/;
const PARTIAL = /^docs-agent-.*\.db\.partial$/;
/** Older files were left behind by a killed process. */
const ABANDONED_AFTER_MS = 86_400_000;

export interface BackupOptions {
  /** Created if missing, with access for this user only. */
  readonly directory: string;
  /** How many of the newest to keep. */
  readonly keep: number;
  readonly nowMs: number;
}

export interface Backup {
  readonly path: string;
  readonly sizeBytes: number;
  /** Older ones that were deleted. */
  readonly deleted: readonly string[];
}

/**
 * Copies the embedded store, even while a docs-agent uses it. The copy gets its final name once it is complete, flushed
 * to disk and verified. Throws StoreError.
 */
export async function backUp(
  dataDir: string,
  { directory: named, keep, nowMs }: BackupOptions,
): Promise<Backup> {
  const database = join(resolve(dataDir), DATABASE_FILE);
  if (!existsSync(database)) {
    throw new StoreError(`There is no store in ${resolve(dataDir)} yet. If it is elsewhere, set DATA_DIR.`);
  }
  const directory = resolve(named);
  const time = new Date(nowMs).toISOString().slice(0, 19).replaceAll(':', '-');
  const path = join(directory, `docs-agent-${time}Z.db`);
  const partial = `${path}.partial`;
  claimFile(directory, partial);
  try {
    copy(resolve(dataDir), database, directory, partial);
    await verify(directory, partial);
    flush(partial);
    renameSync(partial, path);
    flush(directory);
  } catch (error) {
    rmSync(partial, { force: true });
    throw error instanceof StoreError ? error : unusable(directory, codeOf(error));
  }
  return { path, sizeBytes: statSync(path).size, deleted: deleteOld(directory, keep, nowMs) };
}

/** The file holds prompts, so only this user may read it. SQLite writes into an existing empty file. */
function claimFile(directory: string, path: string): void {
  try {
    makeDirectory(directory);
  } catch (error) {
    throw unusable(directory, codeOf(error));
  }
  try {
    closeSync(openSync(path, 'wx', 0o600));
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw unusable(directory, codeOf(error));
    throw new StoreError(`Another backup is being written to ${directory} just now.`, null, true);
  }
}

/** A snapshot of one moment, however long it takes; writers are not blocked. */
function copy(dataDir: string, from: string, directory: string, to: string): void {
  try {
    const source = connect(from, { timeout: BUSY_TIMEOUT_MS });
    try {
      source.prepare('vacuum into ?').run(to);
    } finally {
      source.close();
    }
    forgetTokens(to);
  } catch (error) {
    // Only the copy takes space.
    throw isFull(error) ? unusable(directory, 'ENOSPC') : sqliteError(dataDir, error);
  }
}

/** They are valid for a few minutes: in a backup, secrets would be of no use. */
function forgetTokens(path: string): void {
  const file = connect(path, { timeout: BUSY_TIMEOUT_MS });
  try {
    // The store of an older version has none.
    const found = file.prepare("select 1 from sqlite_schema where name = 'step_token'").get();
    if (found !== undefined) file.exec('pragma secure_delete = on; delete from step_token');
  } finally {
    file.close();
  }
}

async function verify(directory: string, path: string): Promise<void> {
  const translate = (error: unknown) => sqliteError(directory, error);
  const file = connect(path, { readOnly: true });
  const found = file.prepare('pragma integrity_check').get()?.integrity_check;
  const queries = queriesOn(file, { translate, verify: () => {}, flush: noFlush });
  const { applied } = await schemaState(queries, migrations('sqlite')).finally(() => queries.destroy());
  if (found === 'ok' && applied.length > 0) return;
  const what = found === 'ok' ? 'it has no tables of docs-agent' : `SQLite says: ${found}`;
  throw new StoreError(`The backup is unusable and was not kept: ${what}. Check the store itself.`);
}

function flush(path: string): void {
  const descriptor = openSync(path, 'r');
  fsyncSync(descriptor);
  closeSync(descriptor);
}

function deleteOld(directory: string, keep: number, nowMs: number): string[] {
  const names = readdirSync(directory);
  const old = names
    .filter((name) => BACKUP.test(name))
    .sort()
    .slice(0, -keep);
  const abandoned = names.filter(
    (name) => PARTIAL.test(name) && nowMs - statSync(join(directory, name)).mtimeMs > ABANDONED_AFTER_MS,
  );
  const paths = [...old, ...abandoned].map((name) => join(directory, name));
  for (const path of paths) rmSync(path, { force: true });
  return paths;
}

function unusable(directory: string, code: string | null): StoreError {
  return new StoreError(
    `The backup cannot be written to ${directory} (${code ?? 'unknown error'}). ` +
      'Name a directory that this user may write to, on a disk with free space.',
    code,
    code === 'ENOSPC',
  );
}
