import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Place } from '../store/queries/table.ts';
import type { Limits } from '../store/retention.ts';
import type { Store } from '../store/store.ts';
import { type Clock, type Periodic, periodically } from './runtime/clock.ts';
import type { Logger } from './runtime/redact.ts';

const EVERY_MS = 3_600_000;
/** A start has more urgent things to do. */
const FIRST_AFTER_MS = 60_000;
/** Each batch is a transaction, and on SQLite nothing else runs meanwhile. */
const JOBS_AT_ONCE = 25;
const TRACES_AT_ONCE = 250;
const DAY_MS = 86_400_000;
/**
 * Slack redelivers an event for a few hours at most, and threads are read for missed replies for 14 days
 * after their job's request. Anything older is not accepted (`isTooOld`).
 */
const REQUESTS_KEPT_MS = 30 * DAY_MS;
/** A home tab is refreshed for an hour after it was opened. */
const HOMES_KEPT_MS = DAY_MS;

/** Deletes, hourly, what is over and older than the retention. */
export function retentionJob(
  { store, clock, log }: { readonly store: Store; readonly clock: Clock; readonly log: Logger },
  retentionMs: number,
): Periodic {
  return periodically(clock, { firstAfterMs: FIRST_AFTER_MS, everyMs: EVERY_MS }, async (stopping) => {
    const startedAtMs = clock.now();
    const limits = {
      jobsBeforeMs: startedAtMs - retentionMs,
      inboundRequestsBeforeMs: startedAtMs - REQUESTS_KEPT_MS,
      homesBeforeMs: startedAtMs - HOMES_KEPT_MS,
    };
    try {
      const jobs = await pruneJobs(store, clock, limits, stopping);
      await pruneTraces(store, clock, limits, stopping);
      log.info('retention_job_ran', { outcome: 'done', jobs, duration_ms: clock.now() - startedAtMs });
    } catch (error) {
      log.error('retention_job_ran', { outcome: 'failed', error });
    }
  });
}

async function pruneJobs(store: Store, clock: Clock, limits: Limits, stopping: AbortSignal): Promise<number> {
  const batch = (after: Place | null) =>
    store.transaction((tx) => tx.retention.pruneJobs(limits, after, JOBS_AT_ONCE, clock.now()));
  let { pruned: count, next } = await batch(null);
  while (next !== null && !stopping.aborted) {
    await nextTurn();
    const more = await batch(next);
    count += more.pruned;
    next = more.next;
  }
  return count;
}

async function pruneTraces(store: Store, clock: Clock, limits: Limits, stopping: AbortSignal): Promise<void> {
  let most = TRACES_AT_ONCE;
  while (most === TRACES_AT_ONCE && !stopping.aborted) {
    most = await store.transaction((tx) => tx.retention.pruneTraces(limits, TRACES_AT_ONCE, clock.now()));
    await nextTurn();
  }
}
