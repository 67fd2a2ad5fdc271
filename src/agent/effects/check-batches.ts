import DataLoader from 'dataloader';
import type { Clock } from '../../engine/runtime/clock.ts';
import { StoreError } from '../../store/engines/connection-turns.ts';
import type { UnchangedCheck } from '../../store/queries/tasks/checks.ts';
import type { Store } from '../../store/store.ts';

/** Checks without news are batched for this long: one transaction serves all of them. */
const GATHERED_FOR_MS = 5;

export type CheckBatches = ReturnType<typeof checkBatches>;

export function checkBatches(store: Store, clock: Clock) {
  const reads = batcher((jobIds: readonly string[]) =>
    store.transaction(async (tx) => {
      const found = await tx.checks.read(jobIds);
      return jobIds.map((id) => found.get(id) ?? null);
    }),
  );
  const unchanged = batcher(
    (checks: readonly UnchangedCheck[]) =>
      store.transaction(async (tx) => {
        const ended = await tx.checks.endUnchanged(checks, clock.now());
        return checks.map(({ lease }) => ended.has(lease.taskId));
      }),
    GATHERED_FOR_MS,
  );
  return {
    read: (jobId: string) => reads.load(jobId),
    /** Writes only the next check. False: another event owns the task now. */
    putOff: (check: UnchangedCheck) => unchanged.load(check),
  };
}

/** A transaction must stay short; and for a much longer list, SQLite would rather scan all tasks. */
const MAX_AT_ONCE = 128;

/** Handles all items at once, and returns the results in the same order. */
type Batch<I, O> = (items: readonly I[]) => Promise<O[]>;

/**
 * Everything asked for in one turn of the event loop, or within this time, is one batch; nothing is
 * remembered. An item that makes the batch fail, fails alone.
 */
function batcher<I, O>(batch: Batch<I, O>, gatheredForMs = 0): DataLoader<I, O> {
  const batchScheduleFn =
    gatheredForMs === 0 ? setImmediate : (run: () => void) => void setTimeout(run, gatheredForMs);
  return new DataLoader(orEachAlone(batch), { cache: false, maxBatchSize: MAX_AT_ONCE, batchScheduleFn });
}

function orEachAlone<I, O>(batch: Batch<I, O>): Batch<I, O | Error> {
  return async (items) => {
    try {
      return await batch(items);
    } catch (error) {
      // A broken store fails all of them, and their writes may be stored. A row locked by another session
      // fails alone.
      if (items.length === 1 || (error instanceof StoreError && !error.isLocked)) throw error;
      const alone = await Promise.allSettled(items.map((item) => batch([item])));
      return alone.flatMap((one): (O | Error)[] =>
        one.status === 'fulfilled' ? one.value : [one.reason as Error],
      );
    }
  };
}
