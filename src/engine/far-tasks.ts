import { isPaused } from '#jobs/decide/watch/long-running.ts';
import { CLOCKS_DIFFER_MS, LONGEST_PAUSE_MS } from '#jobs/schedule/schedule.ts';
import { taskFacts, taskKinds } from '#jobs/task-kinds.ts';
import type { Transaction } from '#store/store.ts';
import type { EngineTools } from './apply-event.ts';
import { LEASE_MS } from './loop.ts';
import { type Periodic, periodically } from './runtime/clock.ts';

const EVERY_MS = 60_000;
const AT_ONCE = 250;

/**
 * Finds tasks planned by a clock that was ahead. A replica whose clock is behind also hastens tasks, which
 * costs one check a minute.
 */
export function farTasks({ store, clock, log, newContext }: EngineTools): Periodic {
  return periodically(clock, { firstAfterMs: EVERY_MS, everyMs: EVERY_MS }, async () => {
    try {
      const found = await store.transaction(async (tx) => {
        const { nowMs, policy } = newContext();
        await shortenFarLeases(tx, nowMs);
        let count = await bringChecksForward(tx, nowMs, nowMs + policy.pollMaxIntervalMs + CLOCKS_DIFFER_MS);
        for (const kind of taskKinds) {
          const { furthestAheadMs: aheadMs = LONGEST_PAUSE_MS } = taskFacts(kind);
          if (aheadMs === null) continue;
          count += await tx.tasks.bringForward(kind, nowMs + aheadMs + CLOCKS_DIFFER_MS, nowMs, AT_ONCE);
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
  const far = await tx.tasks.plannedAfter('check_job', laterThanMs, AT_ONCE);
  const jobs = far.length === 0 ? [] : [...(await tx.checks.read(far)).values()];
  // The agent may have asked to wait, or keeps changing its answer.
  const astray = jobs.filter(({ job }) => {
    const { trouble } = job;
    return trouble === null ? !isPaused(job, nowMs) : trouble.retryAtMs > nowMs + LONGEST_PAUSE_MS;
  });
  for (const { job } of astray) await tx.tasks.runNowUnlessLocked('check_job', job.id, nowMs);
  return astray.length;
}

/**
 * The database's clock, used for leases on Postgres, was set back. Live processes renew; leases of dead ones
 * end as if given now.
 */
async function shortenFarLeases(tx: Transaction, nowMs: number) {
  const untilMs = (await tx.tasks.leaseNowMs()) + LEASE_MS;
  const lease = { laterThanMs: untilMs + CLOCKS_DIFFER_MS, untilMs };
  for (const kind of taskKinds) await tx.tasks.shortenLeases(kind, lease, nowMs);
}
