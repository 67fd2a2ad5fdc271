import { isDeepStrictEqual } from 'node:util';
import { applyEvent, type EngineTools, release } from '../../engine/apply-event.ts';
import type { AnyJobContext } from '../../jobs/decision.ts';
import { type PullRequestFacts, seenPullRequest } from '../../jobs/pull-requests/pull-request.ts';
import { reminderDueAtMs } from '../../jobs/pull-requests/standing.ts';
import { nextLookAtMs } from '../../jobs/schedule/schedule.ts';
import type { Looked, WatchedPullRequest } from '../../store/queries/pull-requests.ts';
import type { ClaimedTask, Transaction } from '../../store/store.ts';
import type { CodeHosts } from '../create-code-hosts.ts';
import { decodeLookMemory, type Look } from '../look.ts';

export interface LookTools extends EngineTools {
  readonly codeHosts: CodeHosts;
}

/** Its code host is no longer configured, and may be again. */
const NOT_SET_UP = { outcome: 'no_access' } as const;

/** The result of a check, also where nobody could be asked. */
type LookResult = Look | typeof NOT_SET_UP;

/** One check of a pull request, for all jobs that it belongs to; then schedules the next. */
export async function lookAtPullRequest(tools: LookTools, task: ClaimedTask): Promise<void> {
  const { store, codeHosts, stopping } = tools;
  // The next process makes it.
  if (stopping.aborted) return release(tools, task);
  const watched = await store.transaction((tx) => tx.pullRequests.get(task.subject));
  if (watched === null) {
    await store.transaction((tx) => tx.tasks.complete(task.lease));
    return;
  }
  const link = codeHosts.find(watched.key);
  const look = link === null ? NOT_SET_UP : await codeHosts.look(link, decodeLookMemory(watched.memory));
  // Perhaps aborted.
  if (stopping.aborted && look.outcome === 'later') return release(tools, task);
  await store.transaction((tx) => settle(tx, task, watched, look, tools.newContext()));
}

/**
 * Tells the jobs the result, and stores it. Jobs are locked before the task, as by all who schedule a job's
 * task; without the lease, nothing is written.
 */
async function settle(
  tx: Transaction,
  { subject, lease }: ClaimedTask,
  watched: WatchedPullRequest,
  look: LookResult,
  context: AnyJobContext,
): Promise<void> {
  const { nowMs, jitter, policy } = context;
  const reminders = look.outcome === 'seen' ? await tellJobs(tx, subject, look.facts, context) : [];
  const looked = lookedAt(watched, look, nowMs);
  await tx.pullRequests.looked(subject, looked, nowMs);
  const { watchedFromMs, facts } = watched;
  const nextAtMs = nextLookAtMs(
    {
      ...{ watchedFromMs, facts },
      ...looked.seen,
      ...looked,
      waitMs: look.outcome === 'later' ? look.waitMs : null,
      reminderAtMs: reminders.length === 0 ? null : Math.min(...reminders),
    },
    policy.pullRequests,
    nowMs,
    jitter,
  );
  if (nextAtMs === null) await tx.tasks.complete(lease);
  else await tx.tasks.repeat(lease, nextAtMs);
}

async function tellJobs(
  tx: Transaction,
  subject: string,
  facts: PullRequestFacts,
  context: AnyJobContext,
): Promise<number[]> {
  const reminders: number[] = [];
  for (const { jobId, url, isOld } of await tx.pullRequests.jobsOf(subject)) {
    const { job } = await applyEvent(tx, jobId, { type: 'pull_request_seen', url, facts, isOld }, context);
    const seen = seenPullRequest(job, url);
    const dueAtMs = seen && reminderDueAtMs(seen, context.policy.pullRequests.remindAfterMs);
    if (dueAtMs !== null) reminders.push(dueAtMs);
  }
  return reminders;
}

function lookedAt(watched: WatchedPullRequest, look: LookResult, nowMs: number): Looked {
  const { outcome } = look;
  if (look.outcome !== 'seen') {
    const misses = watched.outcome === outcome ? watched.misses + 1 : 1;
    return { outcome, misses, changedAtMs: watched.changedAtMs, seen: null };
  }
  const { facts, memory } = look;
  const hasChanged = watched.facts !== null && !isDeepStrictEqual(facts, watched.facts);
  return {
    outcome,
    misses: 0,
    changedAtMs: hasChanged ? nowMs : watched.changedAtMs,
    seen: { facts, memory },
  };
}
