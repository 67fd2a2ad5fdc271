import { pullRequestKey } from '../pull-requests/link.ts';
import {
  isOver,
  type PullRequestFacts,
  type SeenPullRequest,
  seenPullRequest,
} from '../pull-requests/pull-request.ts';
import { reminderDueAtMs, standingOnCard } from '../pull-requests/standing.ts';
import type { Deciders, DecisionBuilder } from './decision-builder.ts';

/** Beyond these, a job forgets the oldest; their messages stay as they are. */
const MAX_PULL_REQUESTS = 20;

export const pullRequestDeciders = {
  /** Shows what has changed since the last check, and announces an end or a due reminder. */
  pull_request_seen(builder, { url, facts, isOld = false }) {
    const { job, context } = builder;
    const { nowMs, policy } = context;
    const isShown = seenPullRequest(job, url) !== null;
    const before = seenByAnyAddress(builder, url).at(-1) ?? null;
    // A link that the job forgot for newer ones is not added again.
    const { announcedPrLink: last, pullRequests = [] } = job;
    const mayBeAdded = last !== null && (url === last || pullRequests.length < MAX_PULL_REQUESTS);
    if (before === null && !mayBeAdded) return;
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
    // Their fields are in the same order.
    if (JSON.stringify(shown) !== JSON.stringify(facts)) showFacts(builder, shown ?? {}, facts);
    if (isOver(facts) && facts.state !== before?.facts.state && !isFirstOfOld) tellEnd(builder, url, facts);
    remindIfDue(builder, url);
  },

  /**
   * *Remind me again*: after the same time, if it is still open then. The watch restarts, so that it lasts that
   * long.
   */
  remind_again_pressed(builder, { reminderId }) {
    const { job, context } = builder;
    const offer = job.offers?.find(
      ({ about, outcome }) =>
        outcome === null && about.kind === 'reminder' && about.reminderId === reminderId,
    );
    const pullRequest = offer?.about.kind === 'reminder' ? seenPullRequest(job, offer.about.url) : null;
    if (pullRequest === null || isOver(pullRequest.facts)) return;
    const remindAfterMs = context.nowMs + context.policy.pullRequests.remindAfterMs;
    save(builder, { ...pullRequest, remindAfterMs });
    builder.watchPullRequest(pullRequest.url);
  },
} satisfies Partial<Deciders>;

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

/** An agent may use several URLs of one pull request. The oldest first. */
function seenByAnyAddress({ job, context }: DecisionBuilder, url: string): readonly SeenPullRequest[] {
  const { sites } = context.policy.pullRequests;
  const key = pullRequestKey(url, sites);
  return (job.pullRequests ?? []).filter((one) => pullRequestKey(one.url, sites) === key);
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
  builder.note({ notices: when });
}

function shownOf(facts: PullRequestFacts): string {
  const { title, state, size, checks, review, previewUrl } = facts;
  return JSON.stringify([title, state, size, previewUrl, ...(isOver(facts) ? [] : [checks, review])]);
}
