import { StoreError } from '../store/errors.ts';
import type { Clock } from './runtime/clock.ts';
import type { Logger } from './runtime/logger.ts';

/** Shorter than a lease: while the store is away, nobody else can take the work over either. */
const KEEP_TRYING_MS = 20_000;
/** A row that another session has locked keeps nobody from renewing the lease. */
const KEEP_TRYING_IF_LOCKED_MS = 600_000;
const PAUSE_MS = 1_000;

/**
 * Writes what cannot be found out again (the answer to a call that is made once), even if the store is away for a
 * while. `write` may run again after a commit that went through unnoticed, and must recognise that.
 */
export async function persist<T>(
  { clock, log }: { readonly clock: Clock; readonly log: Logger },
  write: () => Promise<T>,
): Promise<T> {
  const sinceMs = clock.now();
  for (;;) {
    try {
      return await write();
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      const forMs = error.isLocked ? KEEP_TRYING_IF_LOCKED_MS : KEEP_TRYING_MS;
      if (clock.now() >= sinceMs + forMs) throw error;
      log.warn('outcome_not_stored', { error });
      await clock.sleep(PAUSE_MS);
    }
  }
}
