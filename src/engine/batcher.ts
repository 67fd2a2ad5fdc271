import DataLoader from 'dataloader';
import { StoreError } from '../store/errors.ts';

/** A transaction must stay short; and of a list that is much longer, SQLite would rather read all tasks. */
const MAX_AT_ONCE = 128;

/** Does something for each item at once, and returns the results in the same order. */
type Batch<I, O> = (items: readonly I[]) => Promise<O[]>;

/**
 * All that is asked for in one turn of the event loop, or in so long, is done at once, and nothing is remembered. An
 * item that makes the batch fail, fails alone.
 */
export function batcher<I, O>(batch: Batch<I, O>, gatheredForMs = 0): DataLoader<I, O> {
  const batchScheduleFn =
    gatheredForMs === 0 ? setImmediate : (run: () => void) => void setTimeout(run, gatheredForMs);
  return new DataLoader(orEachAlone(batch), { cache: false, maxBatchSize: MAX_AT_ONCE, batchScheduleFn });
}

function orEachAlone<I, O>(batch: Batch<I, O>): Batch<I, O | Error> {
  return async (items) => {
    try {
      return await batch(items);
    } catch (error) {
      // A store that cannot do its work fails all of them; and what it was to write may be written. One row that another
      // session has locked fails alone.
      if (items.length === 1 || (error instanceof StoreError && !error.isLocked)) throw error;
      const alone = await Promise.allSettled(items.map((item) => batch([item])));
      return alone.flatMap((one): (O | Error)[] =>
        one.status === 'fulfilled' ? one.value : [one.reason as Error],
      );
    }
  };
}
