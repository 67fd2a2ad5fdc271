import type { OfferAnswers, OfferRules } from '#jobs/decide/decide.ts';
import type { Deciders, DecisionBuilder } from '#jobs/decide/decision-builder.ts';
import { pullRequestKey } from '#jobs/pull-requests/link.ts';
import {
  isOver,
  type PullRequestFacts,
  type SeenPullRequest,
  seenPullRequest,
} from '#jobs/pull-requests/pull-request.ts';
import { standingOnCard } from '#jobs/pull-requests/standing.ts';
import { spread } from '#jobs/schedule/schedule.ts';
import { answerNews, reviewNewsOffer, tellNews } from './review-news.ts';

/** A job forgets older ones. */
const MAX_PULL_REQUESTS = 20;

const deciders = {
  pull_request_seen(builder, { url, facts }) {
    const { job, context } = builder;
    const { nowMs, policy } = context;
    const { remindAfterMs: afterMs } = policy.pullRequests;
    const before = samePullRequest(builder, url).at(-1) ?? null;
    const shown = seenPullRequest(job, url) && before?.facts;
    // Forgotten links are not added again.
    const { announcedPrLink: last, pullRequests = [] } = job;
    const mayBeAdded = last !== null && (url === last || pullRequests.length < MAX_PULL_REQUESTS);
    if (before === null && !mayBeAdded) return;
    const seen: SeenPullRequest = { ...(before ?? { reminders: 0 }), url, facts, seenAtMs: nowMs };
    const dueAtMs = reminderDueAtMs(seen, afterMs);
    const isDue = dueAtMs !== null && nowMs >= dueAtMs;
    const reminders = seen.reminders + 1;
    const naturalKey = `pr:${job.id}:${keyOf(builder, url)}`;
    const reminded = isDue ? { ...seen, reminders, remindAfterMs: null } : seen;
    save(builder, tellNews(builder, naturalKey, reminded, before));
    // Their fields have the same order.
    if (JSON.stringify(shown) !== JSON.stringify(facts)) showFacts(builder, shown ?? {}, facts);
    const { state, endedBy: by } = facts;
    if ((state === 'merged' || state === 'closed') && state !== before?.facts.state) {
      const over = { kind: 'pull_request_over', state, ...(by !== undefined && { by }) } as const;
      builder.announceOnce(`${naturalKey}:${state}`, over);
    }
    if (isDue) {
      builder.announceOnce(`${naturalKey}:reminder:${reminders}`, {
        kind: 'reminder',
        reminderId: context.newId(),
        url,
        ...(reminders === 1 && { afterMs }),
        againMs: afterMs,
      });
    }
  },

  /** Restarts the watch, which might end before the reminder. */
  remind_again_pressed(builder, { reminderId }) {
    const { job, context } = builder;
    const [url = ''] = (job.offers ?? []).flatMap(({ about, outcome }) =>
      outcome === null && about.kind === 'reminder' && about.reminderId === reminderId ? about.url : [],
    );
    const pullRequest = seenPullRequest(job, url);
    if (pullRequest === null || isOver(pullRequest.facts)) return;
    save(builder, {
      ...pullRequest,
      remindAfterMs: context.nowMs + context.policy.pullRequests.remindAfterMs,
    });
    builder.watchLink(url);
  },

  // Reminders need a request; the press only closes the offer.
  no_more_reminders_pressed: () => {},

  news_answered: answerNews,
} satisfies Partial<Deciders>;

const reminder: OfferRules['reminder'] = {
  isAbout: (press, { reminderId }) => 'reminderId' in press && press.reminderId === reminderId,
  isOpen: ({ job }, about, event) => {
    const pullRequest = seenPullRequest(job, about.url);
    return pullRequest !== null && !isOver(pullRequest.facts) && !reminder.isAbout(event, about);
  },
};

const answers: OfferAnswers = {
  remind_again_pressed: 'wants_reminder',
  no_more_reminders_pressed: 'wants_no_reminder',
  news_answered: 'answered',
};

export const pullRequestDecisions = { deciders, offers: { reminder, review_news: reviewNewsOffer }, answers };

/** Its facts hold for each of its URLs. */
function save(builder: DecisionBuilder, pullRequest: SeenPullRequest) {
  const { pullRequests = [] } = builder.job;
  const same = samePullRequest(builder, pullRequest.url);
  const saved = pullRequests.map((one) => (same.includes(one) ? { ...pullRequest, url: one.url } : one));
  const hasUrl = same.some(({ url }) => url === pullRequest.url);
  builder.change({ pullRequests: hasUrl ? saved : [...saved, pullRequest].slice(-MAX_PULL_REQUESTS) });
}

/** Agents use several URLs of one. Oldest first. */
function samePullRequest(builder: DecisionBuilder, url: string): readonly SeenPullRequest[] {
  const key = keyOf(builder, url);
  return (builder.job.pullRequests ?? []).filter((one) => keyOf(builder, one.url) === key);
}

function keyOf({ context }: DecisionBuilder, url: string) {
  return pullRequestKey(url, context.policy.pullRequests.sites);
}

/** Batches edits that only show progress. */
const BATCHED_FOR_MS = 10_000;

function showFacts(builder: DecisionBuilder, before: PullRequestFacts, after: PullRequestFacts) {
  const isOnCard = factsOnCard(before) !== factsOnCard(after);
  if (isOnCard) builder.refreshCard();
  if (factsInPosts(before) === factsInPosts(after)) return;
  // Messages and notices must not contradict the card.
  const isNews = isOnCard || before.title !== after.title || before.state !== after.state;
  const runAtMs = builder.context.nowMs + (isNews ? 0 : BATCHED_FOR_MS);
  const ifScheduled = isNews ? 'replace' : 'keep';
  builder.schedule('refresh_posts', runAtMs, ifScheduled);
  builder.note({ notices: { runAtMs, ifScheduled } });
}

function factsOnCard(facts: PullRequestFacts) {
  const standing = standingOnCard(facts);
  return JSON.stringify([standing, isOver(facts) ? [] : [facts.failing, facts.requests]]);
}

function factsInPosts(facts: PullRequestFacts) {
  const { title, state, size, pages, checks, review, previewUrl } = facts;
  return JSON.stringify([title, state, size, pages, previewUrl, ...(isOver(facts) ? [] : [checks, review])]);
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const SHORTEST_MS = MINUTE_MS;
const LONGEST_MS = 6 * HOUR_MS;
/** A share of the time since the last activity: some 200 checks a month. */
const QUIET_SHARE = 1 / 30;
const REOPENED_WITHIN_MS = 6 * HOUR_MS;
const NO_ACCESS_MS = HOUR_MS;
/** Hosts may know new ones late, or hide a repository for a while. */
const NOT_FOUND_MS = [MINUTE_MS, 10 * MINUTE_MS, HOUR_MS, 6 * HOUR_MS, 24 * HOUR_MS];

export type CheckedPullRequest = Readonly<{
  outcome: 'seen' | 'not_found' | 'no_access' | 'later';
  /** Checks in a row with this outcome; 0: seen. */
  misses: number;
  waitMs: number | null;
  facts: PullRequestFacts | null;
  /** When a job last announced it. */
  watchedFromMs: number;
  changedAtMs: number | null;
  reminderAtMs: number | null;
}>;

/** Null: never. */
export function nextCheckAtMs(
  checked: CheckedPullRequest,
  { watchForMs }: { watchForMs: number },
  nowMs: number,
  jitter: number,
): number | null {
  const endMs = checked.watchedFromMs + watchForMs;
  const waitMs = waitAfter(checked, nowMs, jitter);
  if (waitMs === null || nowMs >= endMs) return null;
  const reminderAtMs = checked.reminderAtMs ?? endMs;
  return Math.round(Math.min(nowMs + waitMs, Math.max(reminderAtMs, nowMs), endMs));
}

function waitAfter(checked: CheckedPullRequest, nowMs: number, jitter: number) {
  const { outcome, misses, waitMs, facts } = checked;
  if (outcome === 'no_access') return NO_ACCESS_MS * spread(jitter);
  if (outcome === 'not_found') {
    const wantedMs = NOT_FOUND_MS[misses - 1];
    return wantedMs === undefined ? null : wantedMs * spread(jitter);
  }
  if (outcome === 'later') {
    const doubledMs = SHORTEST_MS * 2 ** Math.min(misses - 1, 10);
    return Math.max(Math.min(doubledMs, HOUR_MS) * spread(jitter), waitMs ?? 0);
  }
  const activeAtMs = Math.max(checked.watchedFromMs, checked.changedAtMs ?? 0, facts?.updatedAtMs ?? 0);
  // Either clock may have been set back.
  const quietMs = Math.max(0, nowMs - activeAtMs);
  if (facts === null || !isOver(facts)) {
    return Math.min(Math.max(quietMs * QUIET_SHARE, SHORTEST_MS) * spread(jitter), LONGEST_MS);
  }
  const isFinal = facts.state === 'merged' || quietMs >= REOPENED_WITHIN_MS;
  return isFinal ? null : REOPENED_WITHIN_MS - quietMs;
}

/** The first after `afterMs` without activity, by the host's clock; others only on request. */
export function reminderDueAtMs(
  { facts: { state, updatedAtMs }, reminders, remindAfterMs }: SeenPullRequest,
  afterMs: number,
): number | null {
  if (state !== 'open' || afterMs === 0 || remindAfterMs === null) return null;
  if (reminders > 0) return remindAfterMs ?? null;
  return updatedAtMs === undefined ? null : Math.max(updatedAtMs + afterMs, remindAfterMs ?? 0);
}
