import type { Queries } from '../schema/tables.ts';

/** The message says what is wrong, why, and what to do. It never contains the database password or stored data. */
export class StoreError extends Error {
  /** An SQLSTATE or SQLite's primary result code. */
  readonly code: string | null;
  readonly isTemporary: boolean;
  mayBeCommitted = false;

  constructor(message: string, code: string | null = null, isTemporary = false) {
    super(message);
    this.name = 'StoreError';
    this.code = code;
    this.isTemporary = isTemporary;
  }

  /** Another session holds a lock. Nothing was written. */
  get isLocked(): boolean {
    return this.code === LOCK_NOT_AVAILABLE;
  }

  get isDiskFull(): boolean {
    return DISK_FULL.has(this.code);
  }
}

export const LOCK_NOT_AVAILABLE = '55P03';
const DISK_FULL: ReadonlySet<string | null> = new Set(['13', '53100', 'ENOSPC', 'EDQUOT']);

export function codeOf(error: unknown): string | null {
  const code = error instanceof Error && 'code' in error ? error.code : null;
  return typeof code === 'string' ? code : null;
}

/** Errors surface as StoreError. */
export interface Database {
  readonly engine: 'sqlite' | 'postgres';
  readonly queries: Queries;
  /** For a request that waited for a lock in vain: it comes after all other requests. */
  readonly again: Queries;
  /** Comes after all requests, and never gets the last connection. */
  readonly background: Queries;
  /** A named lock until commit. A no-op on SQLite, which runs one transaction at a time. */
  takeLock(transaction: Queries, name: string): Promise<void>;
  /** Milliseconds since an arbitrary moment: shared by all users of the database, and never set. */
  leaseNowMs(transaction: Queries): Promise<number>;
  heldLocks(): Promise<readonly HeldLock[]>;
  close(): Promise<void>;
}

/** A session that has kept rows locked for seconds. Postgres may hide details of other roles. */
export type HeldLock = Readonly<{
  pid: number;
  /** Empty if unset or hidden. */
  program: string;
  /** Such as `idle in transaction`; empty if hidden. */
  state: string;
  table: string;
  /** Of its transaction; null if hidden. */
  forMs: number | null;
}>;

export function heldLockWords({ pid, program, state, table, forMs }: HeldLock): string {
  const who = [program, state].filter((word) => word !== '').join(', ');
  const since = forMs === null ? '' : ` for ${Math.round(forMs / 1000)} s`;
  return `session ${pid}${who === '' ? '' : ` (${who})`} has kept rows of "${table}" locked${since}: the work on them waits`;
}
