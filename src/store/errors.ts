/**
 * The store cannot do its work. The message says what is wrong, why, and what to do. Neither message nor
 * cause holds the password of the database or what is stored in it.
 */
export class StoreError extends Error {
  /** The database's own code (an SQLSTATE, or SQLite's primary result code), where it gave one. */
  readonly code: string | null;
  /** It may pass by itself: the database is away or in use, say. */
  readonly isTemporary: boolean;
  /** The transaction failed as it was committed, and what it wrote may be stored all the same. */
  mayBeCommitted = false;

  constructor(message: string, code: string | null = null, isTemporary = false) {
    super(message);
    this.name = 'StoreError';
    this.code = code;
    this.isTemporary = isTemporary;
  }
}

/** The code that an error of Node, SQLite or Postgres carries. */
export function codeOf(error: unknown): string | null {
  const code = error instanceof Error && 'code' in error ? error.code : null;
  return typeof code === 'string' ? code : null;
}
