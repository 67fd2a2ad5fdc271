/** Why something could not be read. */
export type Failure =
  /** 404: not there, or not visible. */
  | { readonly kind: 'not_found' }
  /** 401: an expired token, for example. */
  | { readonly kind: 'bad_credentials' }
  | { readonly kind: 'forbidden' }
  | { readonly kind: 'app_not_installed' }
  /** `reason` is for the log. `waitMs`: from the host; null: unknown. */
  | { readonly kind: 'later'; readonly reason: string; readonly waitMs: number | null };

/** Any failure between this program and a code host. Only `src/codehost` knows it. */
export class UnreadableError extends Error {
  readonly failure: Failure;

  constructor(failure: Failure, options?: ErrorOptions) {
    super(failure.kind === 'later' ? failure.reason : failure.kind, options);
    this.name = 'UnreadableError';
    this.failure = failure;
  }
}

export function laterError(reason: string, waitMs: number | null = null): UnreadableError {
  return new UnreadableError({ kind: 'later', reason, waitMs });
}

/** Null: the token may not read it, or it is not there. */
export async function ifAllowed<T>(reading: Promise<T>): Promise<T | null> {
  try {
    return await reading;
  } catch (error) {
    const kind = error instanceof UnreadableError ? error.failure.kind : null;
    if (kind === 'forbidden' || kind === 'not_found') return null;
    throw error;
  }
}
