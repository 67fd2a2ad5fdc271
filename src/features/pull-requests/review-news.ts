import type { OfferRules } from '#jobs/decide/decide.ts';
import type { DecisionBuilder } from '#jobs/decide/decision-builder.ts';
import type { EventOf } from '#jobs/event.ts';
import type { Job } from '#jobs/job.ts';
import {
  isOver,
  type ReviewNews,
  type ReviewNewsOf,
  reviewNewsIn,
  type SeenPullRequest,
  seenPullRequest,
} from '#jobs/pull-requests/pull-request.ts';
import { isWaitOn } from '#jobs/schedule/schedule.ts';

/** Messages about checks and reviews. More news waits, and is gathered into one. */
const MESSAGES_MAX = 3;
const WINDOW_MS = 600_000;
const TOLD_MAX = 200;

/** Returns what the thread has been told. @param stateBefore of the last look */
export function tellReviewNews(
  builder: DecisionBuilder,
  naturalKey: string,
  seen: SeenPullRequest,
  stateBefore: SeenPullRequest['facts']['state'],
  people: ReadonlyMap<string, string> = new Map(),
): SeenPullRequest {
  const { job, nowMs } = builder;
  const { url, facts, told = [] } = seen;
  if (job.muted || isOver(facts)) return seen;
  const toldAtMs = (seen.toldAtMs ?? []).filter((atMs) => isWaitOn(atMs + WINDOW_MS, WINDOW_MS, nowMs));
  const news = reviewNewsIn(facts).filter(({ key }) => !told.includes(key));
  const messages = gathered(news, MESSAGES_MAX - toldAtMs.length);
  for (const [first, ...others] of messages) {
    const announcement = { kind: 'review_news', url, news: [first, ...others] } as const;
    builder.announceOnce(`${naturalKey}:${first.key}`, announcement);
  }
  const wanted = reviewsWanted(seen, stateBefore);
  if (wanted.length > 0) {
    const logins = (facts.reviewers ?? []).filter((login) => wanted.includes(reviewerKey(login)));
    const reviewers = logins.map((login) => ({ login, userId: people.get(login.toLowerCase()) ?? null }));
    builder.announceOnce(`${naturalKey}:${wanted[0]}`, { kind: 'review_wanted', url, reviewers });
  }
  const keys = [...messages.flat().map(({ key }) => key), ...wanted];
  if (keys.length === 0) return seen;
  return {
    ...seen,
    told: [...told, ...keys].slice(-TOLD_MAX),
    toldAtMs: [...toldAtMs, ...messages.map(() => nowMs)],
  };
}

type Gathered = readonly [ReviewNews, ...ReviewNews[]];

function gathered(news: readonly ReviewNews[], room: number): readonly Gathered[] {
  const [first, ...others] = news;
  if (first === undefined || room <= 0) return [];
  return news.length <= room ? news.map((one) => [one] as const) : [[first, ...others]];
}

const reviewerKey = (login: string) => `reviewer:${login.toLowerCase()}`;

/** Once for each reviewer, and once if a draft becomes ready. */
function reviewsWanted({ facts, told = [] }: SeenPullRequest, before: SeenPullRequest['facts']['state']) {
  if (facts.state !== 'open') return [];
  const ready = before === 'draft' ? ['ready'] : [];
  return [...(facts.reviewers ?? []).map(reviewerKey), ...ready].filter((key) => !told.includes(key));
}

/** Null: it has been superseded, or dismissed. */
export function currentNews<Kind extends ReviewNews['kind']>(job: Job, kind: Kind, newsKey: string) {
  for (const pullRequest of job.pullRequests ?? []) {
    const news = isOver(pullRequest.facts) ? [] : reviewNewsIn(pullRequest.facts);
    const isIt = (one: ReviewNews): one is ReviewNewsOf<Kind> => one.kind === kind && one.key === newsKey;
    const found = news.find(isIt);
    if (found !== undefined) return { pullRequest, news: found };
  }
  return null;
}

function isToAnswer({ facts, sent = [] }: SeenPullRequest, newsKey: string) {
  return !isOver(facts) && !sent.includes(newsKey) && reviewNewsIn(facts).some(({ key }) => key === newsKey);
}

export function sendReview(builder: DecisionBuilder, { userId, text, news }: EventOf<'review_sent'>): void {
  const { pullRequest } = currentNews(builder.job, 'review', news) ?? {};
  if (pullRequest === undefined || !isToAnswer(pullRequest, news)) return;
  builder.announce({ kind: 'follow_up', userId, text });
  const { pullRequests = [] } = builder.job;
  builder.change({
    pullRequests: pullRequests.map((one) =>
      isToAnswer(one, news) ? { ...one, sent: [...(one.sent ?? []), news].slice(-TOLD_MAX) } : one,
    ),
  });
  builder.refreshCard();
}

export const reviewNewsOffer: OfferRules['review_news'] = {
  isAbout: (press, { keys }) => 'news' in press && press.news !== undefined && keys.includes(press.news),
  isOpen: ({ job }, { url, keys }, event) => {
    const pullRequest = seenPullRequest(job, url);
    const isAnswered = (key: string) => 'news' in event && event.news === key;
    return pullRequest !== null && keys.some((key) => isToAnswer(pullRequest, key) && !isAnswered(key));
  },
};
