import type { EventOf } from '../event.ts';
import { type CodeHostSite, pullRequestKey } from '../pull-requests/link.ts';
import {
  isOver,
  type PullRequestFacts,
  type SeenPullRequest,
  seenPullRequest,
} from '../pull-requests/pull-request.ts';
import { reminderDueAtMs, standingOnCard } from '../pull-requests/standing.ts';
import type { DecisionBuilder } from './decision-builder.ts';

/** Beyond these, a job forgets the oldest; their messages stay as they are. */
const MAX_PULL_REQUESTS = 20;

/** Shows what has changed since the last check, and announces an end or a due reminder. */
export function pullRequestSeen(
  builder: DecisionBuilder,
  { url, facts, isOld = false }: EventOf<'pull_request_seen'>,
): void {
  const { job, context } = builder;
  const { nowMs, policy } = context;
  const isShown = seenPullRequest(job, url) !== null;
  const before = seenByAnyAddress(builder, url).at(-1) ?? null;
  if (before === null && !mayBeAdded(builder, url)) return;
  // A thread older than the watch hears only of later changes.
  const isFirstOfOld = before === null && isOld;
  save(builder, {
    ...(before ?? {
      reminders: 0,
      ...(isOld && { remindAfterMs: nowMs + policy.pullRequests.remindAfterMs }),
    }),
    url,
    facts,
    seenAtMs: nowMs,
  });
  const shown = isShown ? before?.facts : null;
  if (!shown || !areSame(shown, facts)) showFacts(builder, shown ?? {}, facts);
  if (isOver(facts) && facts.state !== before?.facts.state && !isFirstOfOld) tellEnd(builder, url, facts);
  remindIfDue(builder, url);
}

/** Both were built in the same way, so their fields are in the same order. */
function areSame(one: PullRequestFacts, other: PullRequestFacts): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

function tellEnd(builder: DecisionBuilder, url: string, { state, endedBy }: PullRequestFacts): void {
  if (state !== 'merged' && state !== 'closed') return;
  builder.announceOnce(`${naturalKey(builder, url)}:${state}`, {
    kind: 'pull_request_over',
    state,
    ...(endedBy !== undefined && { by: endedBy }),
  });
}

function remindIfDue(builder: DecisionBuilder, url: string): void {
  const { job, context } = builder;
  const { remindAfterMs: afterMs } = context.policy.pullRequests;
  const pullRequest = seenPullRequest(job, url);
  if (pullRequest === null) return;
  const dueAtMs = reminderDueAtMs(pullRequest, afterMs);
  if (dueAtMs === null || context.nowMs < dueAtMs) return;
  const reminders = pullRequest.reminders + 1;
  save(builder, { ...pullRequest, reminders, remindAfterMs: null });
  const reminderId = context.newId();
  builder.announceOnce(`${naturalKey(builder, url)}:reminder:${reminders}`, {
    kind: 'reminder',
    reminderId,
    url,
    ...(reminders === 1 && { afterMs }),
    againMs: afterMs,
  });
}

/**
 * *Remind me again*: after the same time, if it is still open then. The watch restarts, so that it lasts that
 * long.
 */
export function remindAgain(builder: DecisionBuilder, { reminderId }: EventOf<'remind_again_pressed'>): void {
  const { job, context } = builder;
  const url = urlOfOffer(builder, reminderId);
  const pullRequest = url === null ? null : seenPullRequest(job, url);
  if (pullRequest === null || isOver(pullRequest.facts)) return;
  const remindAfterMs = context.nowMs + context.policy.pullRequests.remindAfterMs;
  save(builder, { ...pullRequest, remindAfterMs });
  builder.watchPullRequest(pullRequest.url);
}

/** Null: its offer has been settled. */
function urlOfOffer({ job: { offers = [] } }: DecisionBuilder, reminderId: string): string | null {
  for (const { about, outcome } of offers) {
    if (about.kind === 'reminder' && about.reminderId === reminderId && outcome === null) return about.url;
  }
  return null;
}

/** A link that the job forgot for newer ones is not added again. */
function mayBeAdded({ job }: DecisionBuilder, url: string): boolean {
  if (job.announcedPrLink === null) return false;
  return url === job.announcedPrLink || (job.pullRequests ?? []).length < MAX_PULL_REQUESTS;
}

/** Its facts hold for each of its URLs. */
function save(builder: DecisionBuilder, pullRequest: SeenPullRequest): void {
  const { pullRequests = [] } = builder.job;
  const same = seenByAnyAddress(builder, pullRequest.url);
  const saved = pullRequests.map((one) => (same.includes(one) ? { ...pullRequest, url: one.url } : one));
  const isKnown = same.some(({ url }) => url === pullRequest.url);
  builder.change({ pullRequests: isKnown ? saved : [...saved, pullRequest].slice(-MAX_PULL_REQUESTS) });
}

/** One pull request in the ledger, whatever its current URL. */
function naturalKey({ job, context }: DecisionBuilder, url: string): string {
  return `pr:${job.id}:${pullRequestKey(url, context.policy.pullRequests.sites)}`;
}

function seenByAnyAddress({ job, context }: DecisionBuilder, url: string): readonly SeenPullRequest[] {
  return sameAs(url, job.pullRequests ?? [], context.policy.pullRequests.sites);
}

/** Edits that only show progress are batched: checks come and go. */
const GATHERED_FOR_MS = 10_000;

/** Updates what Slack shows of a pull request. Edits notify nobody. */
function showFacts(builder: DecisionBuilder, before: PullRequestFacts, after: PullRequestFacts): void {
  const isOnCard = standingOnCard(before) !== standingOnCard(after);
  if (isOnCard) builder.refreshCard();
  if (shownOf(before) === shownOf(after)) return;
  const { nowMs } = builder.context;
  // Messages and notices must not contradict the card.
  const isNews = isOnCard || before.title !== after.title || before.state !== after.state;
  const when = isNews
    ? ({ runAtMs: nowMs, ifScheduled: 'replace' } as const)
    : ({ runAtMs: nowMs + GATHERED_FOR_MS, ifScheduled: 'keep' } as const);
  builder.schedule('refresh_posts', when.runAtMs, when.ifScheduled);
  builder.refreshNotices(when);
}

function shownOf(facts: PullRequestFacts): string {
  const { title, state, size, checks, review, previewUrl } = facts;
  return JSON.stringify([title, state, size, previewUrl, ...(isOver(facts) ? [] : [checks, review])]);
}

/** Includes other URLs of the same pull request, which an agent may use. The oldest first. */
function sameAs(
  url: string,
  pullRequests: readonly SeenPullRequest[],
  sites: readonly CodeHostSite[],
): readonly SeenPullRequest[] {
  const key = pullRequestKey(url, sites);
  return pullRequests.filter((one) => pullRequestKey(one.url, sites) === key);
}
