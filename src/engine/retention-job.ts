import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Place } from '#store/queries/table.ts';
import type { EngineTools } from './apply-event.ts';
import { type Periodic, periodically } from './runtime/clock.ts';

const EVERY_MS = 3_600_000;
const FIRST_AFTER_MS = 60_000;
/** On SQLite, nothing else runs during a batch. */
const JOBS_AT_ONCE = 25;
const TRACES_AT_ONCE = 250;
const DAY_MS = 86_400_000;
/**
 * Slack redelivers events for a few hours; threads are read for missed replies for 14 days. Older ones are
 * not accepted (`isTooOld`).
 */
const REQUESTS_KEPT_MS = 30 * DAY_MS;
/** Home tabs are refreshed for an hour after opening. */
const HOMES_KEPT_MS = DAY_MS;

export function retentionJob({ store, clock, log }: EngineTools, retentionMs: number): Periodic {
  return periodically(clock, { firstAfterMs: FIRST_AFTER_MS, everyMs: EVERY_MS }, async (stopping) => {
    const startedAtMs = clock.now();
    const limits = {
      jobsBeforeMs: startedAtMs - retentionMs,
      inboundRequestsBeforeMs: startedAtMs - REQUESTS_KEPT_MS,
      homesBeforeMs: startedAtMs - HOMES_KEPT_MS,
    };
    let jobs = 0;
    try {
      let next: Place | null = null;
      do {
        const batch = await store.transaction((tx) =>
          tx.retention.pruneJobs(limits, next, JOBS_AT_ONCE, clock.now()),
        );
        jobs += batch.pruned;
        next = batch.next;
        await nextTurn();
      } while (next !== null && !stopping.aborted);
      let most = TRACES_AT_ONCE;
      while (most >= TRACES_AT_ONCE && !stopping.aborted) {
        most = await store.transaction((tx) => tx.retention.pruneTraces(limits, TRACES_AT_ONCE, clock.now()));
        await nextTurn();
      }
      log.info('retention_job_ran', { outcome: 'done', jobs, duration_ms: clock.now() - startedAtMs });
    } catch (error) {
      log.error('retention_job_ran', { outcome: 'failed', error });
    }
  });
}
