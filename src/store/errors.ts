/**
 * The store cannot do its work. The message says what is wrong, why, and what to do about it. Neither message nor cause
 * contains the database password or stored data.
 */
export class StoreError extends Error {
  /** An SQLSTATE or SQLite's primary result code, if there is one. */
  readonly code: string | null;
  /** May resolve itself, as when the database is unreachable or in use. */
  readonly isTemporary: boolean;
  /** The transaction failed during its commit, so its writes may be stored nevertheless. */
  mayBeCommitted = false;

  constructor(message: string, code: string | null = null, isTemporary = false) {
    super(message);
    this.name = 'StoreError';
    this.code = code;
    this.isTemporary = isTemporary;
  }

  /** Another session of the database has locked what was to be changed. Nothing was written; other work may succeed. */
  get isLocked(): boolean {
    return this.code === LOCK_NOT_AVAILABLE;
  }

  /** The disk of the store, or of its server, has no room. */
  get isDiskFull(): boolean {
    return DISK_FULL.has(this.code);
  }
}

/** SQLSTATE of a lock that did not come in time. */
export const LOCK_NOT_AVAILABLE = '55P03';
/** Of SQLite, of Postgres (`disk_full`), and of a flush. */
const DISK_FULL: ReadonlySet<string | null> = new Set(['13', '53100', 'ENOSPC', 'EDQUOT']);

/** The code of an error from Node, SQLite or Postgres. */
export function codeOf(error: unknown): string | null {
  const code = error instanceof Error && 'code' in error ? error.code : null;
  return typeof code === 'string' ? code : null;
}
