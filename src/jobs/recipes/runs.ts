import { isUnwatched, type Job, openStages } from '../job.ts';
import { isWaitOn } from '../schedule/schedule.ts';

/** What has become of a recipe so far. */
export interface RecipeRuns {
  /** Its last job, unless that was deleted. */
  readonly jobId: string | null;
  /** Jobs in a row that have failed. */
  readonly failures: number;
  /** The last job is one of them. */
  readonly hasFailed: boolean;
  /** Since when it does not start by itself; null: it does. */
  readonly pausedAtMs: number | null;
}

/** After so many failures in a row, somebody has to look at it. */
const FAILURES_MAX = 3;

export const newRuns: RecipeRuns = { jobId: null, failures: 0, hasFailed: false, pausedAtMs: null };

/** Of an unclear start, the agent's work would have ended by then, or somebody would have found it. */
const UNCLEAR_FOR_MS = 3_600_000;

/** More is to happen to the job, so another one of the same recipe would do the same work. */
export function isInTheWay(job: Job, nowMs: number): boolean {
  if (job.stage.kind === 'create_unknown') {
    return isWaitOn(job.stage.sinceMs + UNCLEAR_FOR_MS, UNCLEAR_FOR_MS, nowMs);
  }
  return openStages.some((stage) => stage === job.stage.kind) && !isUnwatched(job);
}

export function runsWithJob(runs: RecipeRuns, jobId: string): RecipeRuns {
  return { ...runs, jobId, hasFailed: false };
}

/** After a change of a job: failures are counted once for each job, and forgotten after a success. */
export function runsAfter(runs: RecipeRuns, job: Job, nowMs: number): RecipeRuns {
  if (runs.jobId !== job.id) return runs;
  if (hasSucceeded(job)) return runs.failures === 0 ? runs : { ...runs, failures: 0, hasFailed: false };
  if (!hasFailed(job) || runs.hasFailed) return runs;
  const failures = runs.failures + 1;
  const isPaused = runs.pausedAtMs === null && failures >= FAILURES_MAX;
  return { ...runs, failures, hasFailed: true, ...(isPaused && { pausedAtMs: nowMs }) };
}

export function resumedRuns(runs: RecipeRuns): RecipeRuns {
  return { ...runs, failures: 0, pausedAtMs: null };
}

function hasSucceeded({ stage }: Job): boolean {
  return stage.kind === 'ended' && (stage.status === 'completed' || stage.status === 'archived');
}

function hasFailed({ stage }: Job): boolean {
  if (stage.kind === 'rejected' || stage.kind === 'card_failed' || stage.kind === 'create_unknown')
    return true;
  if (stage.kind === 'dropped') return stage.why === 'not_posted';
  return stage.kind === 'ended' && (stage.status === 'failed' || stage.status === 'vanished');
}
