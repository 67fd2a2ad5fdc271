import type { Queries } from '../schema/tables.ts';

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

  get isDiskFull(): boolean {
    return DISK_FULL.has(this.code);
  }
}

/** SQLSTATE of a lock that did not come in time. */
export const LOCK_NOT_AVAILABLE = '55P03';
/** Of SQLite, of Postgres (`disk_full`), and of a flush. */
const DISK_FULL: ReadonlySet<string | null> = new Set(['13', '53100', 'ENOSPC', 'EDQUOT']);

export function codeOf(error: unknown): string | null {
  const code = error instanceof Error && 'code' in error ? error.code : null;
  return typeof code === 'string' ? code : null;
}

/**
 * For a request's transaction, somebody waits; background work can wait. A request tried `again` has waited
 * for a lock in vain.
 */
export type Urgency = 'request' | 'again' | 'background';

/** After this long, one more connection is tried: another program may have returned one. */
const RAISE_AFTER_MS = 10_000;

/**
 * Shares a replica's few connections. New requests come first, then repeated ones, then background work;
 * these two never get all connections.
 */
export class ConnectionTurns {
  private readonly max: number;
  private limit: number;
  private raiseAtMs = 0;
  private readonly inUse: Record<Urgency, number> = { request: 0, again: 0, background: 0 };
  private readonly waiting: Readonly<Record<Urgency, (() => void)[]>> = {
    request: [],
    again: [],
    background: [],
  };

  constructor(max: number) {
    this.max = max;
    this.limit = max;
  }

  /** The maximum of connections in use, by the server's last refusal. */
  get size(): number {
    return this.limit;
  }

  /** Resolves to whether a turn came in time. `isFirst`: before all other waiters. */
  async take(urgency: Urgency, withinMs: number, isFirst = false): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const line = this.waiting[urgency];
    const start = () => resolve(true);
    if (isFirst) line.unshift(start);
    else line.push(start);
    this.handOut();
    if (!line.includes(start)) return promise;
    const timer = setTimeout(() => {
      line.splice(line.indexOf(start), 1);
      resolve(false);
    }, withinMs);
    return promise.finally(() => clearTimeout(timer));
  }

  giveBack(urgency: Urgency): void {
    this.inUse[urgency] -= 1;
    this.handOut();
  }

  /** The server allows no more than this for now. */
  limitTo(count: number): void {
    this.limit = Math.min(this.max, Math.max(1, count));
    this.raiseAtMs = performance.now() + RAISE_AFTER_MS;
  }

  private handOut(): void {
    this.raise();
    for (let next = this.next(); next !== null; next = this.next()) {
      this.inUse[next] += 1;
      this.waiting[next].shift()?.();
    }
  }

  private next(): Urgency | null {
    const { request, again, background } = this.inUse;
    if (request + again + background >= this.limit) return null;
    if (this.waiting.request.length > 0) return 'request';
    if (again + background >= Math.max(1, this.limit - Math.ceil(this.limit / 4))) return null;
    if (this.waiting.again.length > 0) return 'again';
    return this.waiting.background.length > 0 ? 'background' : null;
  }

  private raise(): void {
    if (this.limit === this.max || performance.now() < this.raiseAtMs) return;
    this.limitTo(this.limit + 1);
  }
}

export type Engine = 'sqlite' | 'postgres';

/**
 * Takes a named lock held until commit; serialises check-then-insert. A no-op on SQLite, which runs one transaction at
 * a time.
 */
export type TakeAdvisoryLock = (name: string) => Promise<void>;

/**
 * The clock of leases, in milliseconds since an arbitrary moment: shared by all users of the database, and never set.
 */
export type LeaseClock = () => Promise<number>;

/** What both databases have in common. Their errors surface as StoreError. */
export interface Database {
  readonly queries: Queries;
  /** The same, for a request that waited for a lock in vain: it gets a connection after all other requests. */
  readonly again: Queries;
  /** The same, for background work: it gets a connection after all requests, and never the last one. */
  readonly background: Queries;
  readonly engine: Engine;
  advisoryLockIn(transaction: Queries): TakeAdvisoryLock;
  leaseClockIn(transaction: Queries): LeaseClock;
  close(): Promise<void>;
}
