import { isDeepStrictEqual } from 'node:util';
import { type AfterWrite, applyEvent, type EngineTools, release } from '#engine/apply-event.ts';
import { parsePullRequestLink } from '#jobs/pull-requests/link.ts';
import { type PullRequestFacts, seenPullRequest } from '#jobs/pull-requests/pull-request.ts';
import { partsOf } from '#store/queries/task.ts';
import type { ClaimedTask } from '#store/store.ts';
import type { CheckMemory, CodeHosts } from './code-hosts.ts';
import { nextCheckAtMs, reminderDueAtMs } from './decide.ts';
import type { People } from './people.ts';
import { PullRequests } from './queries.ts';

export const watchLinks: AfterWrite = async (tx, { job, links = [] }, { nowMs, policy }) => {
  for (const url of links) {
    const link = parsePullRequestLink(url, policy.pullRequests.watchedSites);
    if (link !== null) await tx.queries(PullRequests).watch(job, { key: link.key, url }, nowMs);
  }
};

export async function checkPullRequest(
  tools: EngineTools & Readonly<{ codeHosts: CodeHosts; people: People }>,
  task: ClaimedTask,
): Promise<void> {
  const { store, codeHosts, stopping } = tools;
  const { subject, lease } = task;
  if (stopping.aborted) return release(tools, task);
  const watched = await store.transaction((tx) => tx.queries(PullRequests).get(subject));
  if (watched === null) return store.transaction((tx) => tx.tasks.complete(lease));
  const result = await codeHosts.check(watched.key, watched.memory as CheckMemory | null);
  if (stopping.aborted && result.outcome === 'later') return release(tools, task);
  const { teamId } = partsOf(subject);
  const seen =
    result.outcome === 'seen'
      ? { ...result, facts: await withPeople(tools, teamId, watched, result.facts) }
      : null;
  await store.transaction(async (tx) => {
    const context = tools.newContext();
    const { nowMs, jitter, policy } = context;
    const reminders: number[] = [];
    // Jobs before their task: the lock order of all that schedule one.
    const jobs = seen === null ? [] : await tx.queries(PullRequests).jobsOf(subject);
    for (const { jobId, url } of jobs) {
      const event = { type: 'pull_request_seen', url, facts: seen?.facts ?? {} } as const;
      const { job } = await applyEvent(tx, jobId, event, context);
      const pullRequest = seenPullRequest(job, url);
      const dueAtMs = pullRequest && reminderDueAtMs(pullRequest, policy.pullRequests.remindAfterMs);
      if (dueAtMs !== null) reminders.push(dueAtMs);
    }
    const { outcome } = result;
    const hasChanged =
      seen !== null && watched.facts !== null && !isDeepStrictEqual(seen.facts, watched.facts);
    const check = {
      outcome,
      misses: seen !== null ? 0 : watched.outcome === outcome ? watched.misses + 1 : 1,
      changedAtMs: hasChanged ? nowMs : watched.changedAtMs,
    };
    await tx.queries(PullRequests).recordCheck(subject, { ...check, seen });
    const checked = {
      ...check,
      watchedFromMs: watched.watchedFromMs,
      facts: seen?.facts ?? watched.facts,
      waitMs: outcome === 'later' ? result.waitMs : null,
      reminderAtMs: reminders.length === 0 ? null : Math.min(...reminders),
    };
    const nextAtMs = nextCheckAtMs(checked, policy.pullRequests, nowMs, jitter);
    if (nextAtMs === null) await tx.tasks.complete(lease);
    else await tx.tasks.repeat(lease, nextAtMs);
  });
}

async function withPeople(
  { people }: { readonly people: People },
  teamId: string,
  { key, facts: before }: { readonly key: string; readonly facts: PullRequestFacts | null },
  facts: PullRequestFacts,
): Promise<PullRequestFacts> {
  if (facts.reviewers === undefined) return facts;
  return { ...facts, reviewers: await people(teamId, key, facts.reviewers, before?.reviewers ?? []) };
}
