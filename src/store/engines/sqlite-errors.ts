import { StoreError } from './database.ts';

const SQLITE_BUSY = 5;
const SQLITE_NOMEM = 7;
const SQLITE_FULL = 13;
const PASSING: ReadonlySet<number | null> = new Set([SQLITE_BUSY, SQLITE_NOMEM, SQLITE_FULL]);
const UNMAKEABLE = new Set(['EACCES', 'ENOENT', 'EPERM', 'EROFS']);

const DAMAGED = 'The file is damaged: restore the directory from a backup, or set DATA_DIR to a new one.';
const NOT_WRITABLE = 'Let docs-agent write in this directory, or set DATA_DIR to another one.';
const NO_MEMORY = 'Give docs-agent more memory.';
const NO_TEMPORARY_FOLDER =
  'SQLite has no folder for temporary files: set SQLITE_TMPDIR to one in which docs-agent may write.';

const ADVICE: Readonly<Record<number, string>> = {
  [SQLITE_BUSY]: 'Another program holds the database for writing: stop it.',
  [SQLITE_NOMEM]: NO_MEMORY,
  8: NOT_WRITABLE,
  10: 'Look for faults of the disk, and use a local one.',
  11: DAMAGED,
  [SQLITE_FULL]: 'Make room on the disk.',
  14: NOT_WRITABLE,
  26: DAMAGED,
  270: NO_TEMPORARY_FOLDER,
  3082: NO_MEMORY,
  6410: NO_TEMPORARY_FOLDER,
};

export function sqliteError(directory: string, error: unknown): StoreError {
  const message = error instanceof Error ? error.message : String(error);
  const code = primaryCode(error);
  const advice =
    ADVICE[extendedCode(error) ?? 0] ??
    ADVICE[code ?? 0] ??
    'If it persists, restore the directory from a backup.';
  return new StoreError(
    `The store in ${directory} failed: ${message}. ${advice}`,
    code?.toString() ?? null,
    PASSING.has(code),
  );
}

export function isBusy(error: unknown): boolean {
  return primaryCode(error) === SQLITE_BUSY;
}

export function isFull(error: unknown): boolean {
  return primaryCode(error) === SQLITE_FULL;
}

export function unusableDirectory(directory: string, code: string | null): StoreError {
  const isFile = code === 'EEXIST' || code === 'ENOTDIR';
  const reason = code !== null && UNMAKEABLE.has(code) ? '' : ` (${code ?? 'unknown error'})`;
  const problem = isFile ? 'it or a part of its path is not a directory' : `it cannot be created${reason}`;
  return new StoreError(
    `The data directory ${directory} cannot be used: ${problem}. ` +
      'Set DATA_DIR to a directory on a local disk that docs-agent may write to.',
    code,
  );
}

function primaryCode(error: unknown) {
  const code = extendedCode(error);
  return code === null ? null : code & 0xff;
}

function extendedCode(error: unknown) {
  const code = error instanceof Error && 'errcode' in error ? error.errcode : null;
  return typeof code === 'number' ? code : null;
}
