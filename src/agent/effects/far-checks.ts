import type { Clock } from '../../engine/runtime/clock.ts';
import type { Logger } from '../../engine/runtime/logger.ts';
import type { Policy } from '../../jobs/policy.ts';
import { neglectedIntervalMs } from '../../jobs/schedule/schedule.ts';
import type { Store } from '../../store/store.ts';

const EVERY_MS = 60_000;
const JOBS_AT_ONCE = 250;

export interface FarChecks {
  start(): void;
  /** Waits for the check in flight. */
  stop(): Promise<void>;
}

/**
 * Finds checks that were planned by another clock than this one is now: it was set back, or a replica that was ahead is
 * gone, and nobody would read these jobs for as long. No job without trouble waits longer than a neglected one. A
 * replica that is behind the others hastens their checks, too, which costs a read a minute.
 */
export function farChecks(
  { store, clock, log }: { readonly store: Store; readonly clock: Clock; readonly log: Logger },
  policy: Pick<Policy, 'pollMaxIntervalMs'>,
): FarChecks {
  let running = Promise.resolve();
  let isStopped = false;
  let cancel = () => {};

  function planNext(): void {
    cancel = clock.at(clock.now() + EVERY_MS, () => {
      running = look().finally(() => {
        if (!isStopped) planNext();
      });
    });
  }

  async function look(): Promise<void> {
    try {
      const found = await store.transaction(async (tx) => {
        const nowMs = clock.now();
        const far = await tx.checks.plannedAfter(nowMs + neglectedIntervalMs(policy), JOBS_AT_ONCE);
        const jobs = far.length === 0 ? [] : [...(await tx.checks.read(far)).values()];
        // The agent may have said how long to wait.
        const astray = jobs.filter(({ job }) => job.trouble === null);
        for (const { job } of astray) await tx.tasks.runNowUnlessLocked('check_job', job.id, nowMs);
        return astray.length;
      });
      if (found > 0) log.warn('checks_moved_forward', { jobs: found });
    } catch (error) {
      log.error('checks_not_moved_forward', { error });
    }
  }

  return {
    start: planNext,
    stop: () => {
      isStopped = true;
      cancel();
      return running;
    },
  };
}
