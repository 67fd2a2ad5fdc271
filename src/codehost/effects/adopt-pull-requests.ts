import { setImmediate as nextTurn } from 'node:timers/promises';
import type { EngineTools } from '../../engine/apply-event.ts';
import { type Periodic, periodically } from '../../engine/runtime/clock.ts';
import { parsePullRequestLink } from '../../jobs/pull-requests/link.ts';
import type { JobCursor } from '../../jobs/shown/lists.ts';

/** Each batch is a transaction, and on SQLite nothing else runs meanwhile. */
const JOBS_AT_ONCE = 50;
/** Between the first checks: a host must not be flooded after an upgrade, nor announcements wait for long. */
const SPACING_MS = 1_000;
/** The others are checked within the hour. */
const RETRIED_AT_ONCE = 200;
const RETRY_MS = 60_000;

type Batch = Readonly<{
  adopted: number;
  last: JobCursor | null;
}>;

/**
 * At a start, checks pull requests that were announced before their code host was configured, if they would
 * still be followed, and those that could not be seen, since a token may have been corrected, or been given a
 * repository (without it, hosts answer 404). The newest first.
 */
export function pullRequestAdoption({ store, clock, log, newContext }: EngineTools): Periodic {
  const { watchedSites: sites, watchForMs } = newContext().policy.pullRequests;

  async function adoptAll(stopping: AbortSignal): Promise<void> {
    const nowMs = clock.now();
    await store.transaction((tx) => tx.pullRequests.retryUnseen(nowMs - watchForMs, RETRIED_AT_ONCE, nowMs));
    let adopted = 0;
    let last: JobCursor | null = null;
    do {
      const batch: Batch = await adoptSome(nowMs - watchForMs, last, nowMs + adopted * SPACING_MS);
      adopted += batch.adopted;
      last = batch.last;
      await nextTurn();
    } while (last !== null && !stopping.aborted);
    if (adopted > 0) log.info('pull_requests_adopted', { pull_requests: adopted });
  }

  function adoptSome(sinceMs: number, after: JobCursor | null, lookFromMs: number): Promise<Batch> {
    return store.transaction(async (tx) => {
      const jobs = await tx.pullRequests.jobsWithout(sinceMs, after, JOBS_AT_ONCE);
      let adopted = 0;
      for (const job of jobs) {
        const url = job.announcedPrLink ?? '';
        const link = parsePullRequestLink(url, sites);
        if (link === null) continue;
        await tx.pullRequests.adopt(job, { key: link.key, url }, lookFromMs + adopted * SPACING_MS);
        adopted += 1;
      }
      return { adopted, last: jobs.length < JOBS_AT_ONCE ? null : (jobs.at(-1) ?? null) };
    });
  }

  return periodically(clock, { firstAfterMs: 0, everyMs: RETRY_MS }, async (stopping) => {
    try {
      if (sites.length > 0) await adoptAll(stopping);
      return 'finished';
    } catch (error) {
      log.error('pull_requests_not_adopted', { error });
      return undefined;
    }
  });
}
