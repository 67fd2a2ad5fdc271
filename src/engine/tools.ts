import type { AnyJobContext } from '../jobs/decision.ts';
import type { Job } from '../jobs/job.ts';
import type { CodeHostSite } from '../jobs/pull-requests/link.ts';
import type { ClaimedTask, Store } from '../store/store.ts';
import type { Clock } from './runtime/clock.ts';
import type { Logger } from './runtime/redact.ts';

/** For the handlers of all tasks. */
export interface EngineTools {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Logger;
  /** Aborted when the program stops: work that has not begun is left to the next process. */
  readonly stopping: AbortSignal;
  readonly newContext: () => AnyJobContext;
}

/** The program stops: another process may take the task at once. */
export async function release({ store }: EngineTools, { lease }: ClaimedTask): Promise<void> {
  await store.transaction((tx) => tx.tasks.release([lease]));
}

/** The fields that identify a job in log events. */
export function factsOf({ id, teamId, projectName }: Job) {
  return { job_id: id, team_id: teamId, project: projectName };
}

/** The sites whose pull requests have short names. */
export function sitesOf({ newContext }: Pick<EngineTools, 'newContext'>): readonly CodeHostSite[] {
  return newContext().policy.pullRequests.sites;
}
