import type { Queries } from '../schema/tables.ts';

/** Says what is wrong, why, and what to do, without the password or stored data. */
export class StoreError extends Error {
  /** SQLSTATE or SQLite's primary result code. */
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
    return isDiskFull(this);
  }
}

export const LOCK_NOT_AVAILABLE = '55P03';
const DISK_FULL: ReadonlySet<string | null> = new Set(['13', '53100', 'ENOSPC', 'EDQUOT']);

export function codeOf(error: unknown): string | null {
  const code = error instanceof Error && 'code' in error ? error.code : null;
  return typeof code === 'string' ? code : null;
}

/** The error may be the store's or the system's. */
export function isDiskFull(error: unknown): boolean {
  return DISK_FULL.has(codeOf(error));
}

export interface Database {
  readonly engine: 'sqlite' | 'postgres';
  readonly queries: Queries;
  /** For a request that timed out on a lock: after all others. */
  readonly again: Queries;
  /** After all requests, and never with the last connection. */
  readonly background: Queries;
  /** Without time limits, for migrations: the database may be large, or another replica is migrating it. */
  readonly patient: Queries;
  /** A named lock until commit. A no-op on SQLite, which runs one transaction at a time. */
  takeLock(transaction: Queries, name: string): Promise<void>;
  /** Milliseconds from an arbitrary start, shared by all users of the database. */
  leaseNowMs(transaction: Queries): Promise<number>;
  heldLocks(): Promise<readonly HeldLock[]>;
  close(): Promise<void>;
}

/** Postgres may hide details of other roles: they are empty or null. */
export type HeldLock = Readonly<{
  pid: number;
  program: string;
  state: string;
  table: string;
  forMs: number | null;
}>;

export function heldLockWords({ pid, program, state, table, forMs }: HeldLock): string {
  const who = [program, state].filter((word) => word !== '').join(', ');
  const since = forMs === null ? '' : ` for ${Math.round(forMs / 1000)} s`;
  return `session ${pid}${who === '' ? '' : ` (${who})`} has kept rows of "${table}" locked${since}: the work on them waits`;
}
/** `askedAtMs` becomes `asked_at_ms`. */
export const columnName = remembered((name) =>
  name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
);

export const propertyName = remembered((column) =>
  column.replace(/_([a-z\d])/g, (_, letter: string) => letter.toUpperCase()),
);

function remembered(rename: (name: string) => string): (name: string) => string {
  const renamed = new Map<string, string>();
  return (name) => {
    const known = renamed.get(name) ?? rename(name);
    renamed.set(name, known);
    return known;
  };
}

/** Kysely's naming plugin copies each row, which took a third of a job's CPU time. */
export function namedRows(properties: readonly string[], rows: readonly (readonly unknown[])[]): object[] {
  return rows.map((values) => {
    const row: Record<string, unknown> = {};
    for (let index = 0; index < properties.length; index += 1) {
      row[properties[index] as string] = values[index];
    }
    return row;
  });
}
