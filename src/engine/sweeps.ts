import { setImmediate as nextTurn } from 'node:timers/promises';
import { isPaused } from '#jobs/decide/observe.ts';
import { CLOCKS_DIFFER_MS, LONGEST_PAUSE_MS } from '#jobs/schedule/schedule.ts';
import { taskFacts, taskKinds } from '#jobs/task-kinds.ts';
import { type Periodic, periodically } from '#runtime/clock.ts';
import type { Transaction } from '#store/store.ts';
import type { EngineTools } from './apply-event.ts';
import { LEASE_MS } from './loop.ts';

const RETENTION_EVERY_MS = 3_600_000;
const FIRST_AFTER_MS = 60_000;
/** On SQLite, nothing else runs during a batch. */
const JOBS_AT_ONCE = 25;
const ROWS_AT_ONCE = 250;

export function retentionJob({ store, clock, log }: EngineTools, retentionMs: number): Periodic {
  return periodically(
    clock,
    RETENTION_EVERY_MS,
    async (stopping) => {
      const startedAtMs = clock.now();
      const beforeMs = startedAtMs - retentionMs;
      let jobs = 0;
      try {
        let pruned: number;
        do {
          pruned = await store.transaction((tx) =>
            tx.retention.pruneJobs(beforeMs, JOBS_AT_ONCE, clock.now()),
          );
          jobs += pruned;
          await nextTurn();
        } while (pruned > 0 && !stopping.aborted);
        let most = ROWS_AT_ONCE;
        while (most >= ROWS_AT_ONCE && !stopping.aborted) {
          most = await store.transaction((tx) =>
            tx.retention.pruneTraces(beforeMs, ROWS_AT_ONCE, clock.now()),
          );
          await nextTurn();
        }
        log.info('retention_job_ran', { outcome: 'done', jobs, duration_ms: clock.now() - startedAtMs });
      } catch (error) {
        log.error('retention_job_ran', { outcome: 'failed', error });
      }
    },
    FIRST_AFTER_MS,
  );
}

const FAR_TASKS_EVERY_MS = 60_000;

/**
 * Finds tasks planned by a clock that was ahead. A replica whose clock is behind also hastens tasks, which
 * costs one check a minute.
 */
export function farTasks({ store, clock, log, newContext }: EngineTools): Periodic {
  return periodically(clock, FAR_TASKS_EVERY_MS, async () => {
    try {
      const found = await store.transaction(async (tx) => {
        const { nowMs, policy } = newContext();
        await shortenFarLeases(tx, nowMs);
        let count = await bringChecksForward(tx, nowMs, nowMs + policy.pollMaxIntervalMs + CLOCKS_DIFFER_MS);
        for (const kind of taskKinds) {
          const { furthestAheadMs: aheadMs = LONGEST_PAUSE_MS } = taskFacts(kind);
          if (aheadMs === null) continue;
          count += await tx.tasks.bringForward(kind, nowMs + aheadMs + CLOCKS_DIFFER_MS, nowMs, ROWS_AT_ONCE);
        }
        return count;
      });
      if (found > 0) log.warn('tasks_moved_forward', { tasks: found });
    } catch (error) {
      log.error('tasks_not_moved_forward', { error });
    }
  });
}

async function bringChecksForward(tx: Transaction, nowMs: number, laterThanMs: number) {
  const far = await tx.tasks.plannedAfter('check_job', laterThanMs, ROWS_AT_ONCE);
  const jobs = [...(await tx.checks.read(far)).values()];
  // The agent may have asked to wait, or keeps changing its answer.
  const astray = jobs.filter(({ job }) => {
    const { trouble } = job;
    return trouble === null ? !isPaused(job, nowMs) : trouble.retryAtMs > nowMs + LONGEST_PAUSE_MS;
  });
  const ids = astray.map(({ job }) => job.id);
  return tx.tasks.runNowUnlessLocked('check_job', ids, nowMs);
}

/**
 * The database's clock, used for leases on Postgres, was set back. Live processes renew; leases of dead ones
 * end as if given now.
 */
async function shortenFarLeases(tx: Transaction, nowMs: number) {
  const untilMs = (await tx.tasks.leaseNowMs()) + LEASE_MS;
  await tx.tasks.shortenLeases(untilMs + CLOCKS_DIFFER_MS, untilMs, nowMs);
}
