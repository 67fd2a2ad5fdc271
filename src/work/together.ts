import DataLoader from 'dataloader';

/** A transaction must stay short; and of a list that is much longer, SQLite would rather read all tasks. */
const MAX_AT_ONCE = 128;

/** All that is asked for in one turn of the event loop, or in so long, is done at once, and nothing is remembered. */
export function together<I, O>(
  batch: (items: readonly I[]) => Promise<(O | Error)[]>,
  gatheredForMs = 0,
): DataLoader<I, O> {
  const batchScheduleFn =
    gatheredForMs === 0 ? setImmediate : (run: () => void) => void setTimeout(run, gatheredForMs);
  return new DataLoader(batch, { cache: false, maxBatchSize: MAX_AT_ONCE, batchScheduleFn });
}

/** As `together`, and what is asked for while a batch is in hand waits for its end: the busier, the larger they are. */
export function oneBatchAtATime<I, O>(
  batch: (items: readonly I[]) => Promise<(O | Error)[]>,
): DataLoader<I, O> {
  let inHand: Promise<unknown> = Promise.resolve();
  const next = (items: readonly I[]) => {
    const done = batch(items);
    inHand = done.catch(() => {});
    return done;
  };
  const batchScheduleFn = (run: () => void) => void inHand.then(() => setImmediate(run));
  return new DataLoader(next, { cache: false, maxBatchSize: MAX_AT_ONCE, batchScheduleFn });
}
