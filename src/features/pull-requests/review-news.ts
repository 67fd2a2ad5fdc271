import type { OfferRules } from '#jobs/decide/decide.ts';
import type { DecisionBuilder } from '#jobs/decide/decision-builder.ts';
import type { EventOf } from '#jobs/event.ts';
import type { Job } from '#jobs/job.ts';
import {
  isOver,
  newsToAnswer,
  type PullRequestFacts,
  type PullRequestNews,
  type SeenPullRequest,
  seenPullRequest,
} from '#jobs/pull-requests/pull-request.ts';
import { isWaitOn } from '#jobs/schedule/schedule.ts';

/** Messages about checks and reviews. More news waits, and is gathered into one. */
const MESSAGES_MAX = 3;
const WINDOW_MS = 600_000;
const KEYS_MAX = 200;
/** More than are open at a time. */
const ANSWERS_MAX = 20;

type People = ReadonlyMap<string, string>;

/** Returns what the thread has been told. @param before of the last look; null: this is the first */
export function tellNews(
  builder: DecisionBuilder,
  naturalKey: string,
  seen: SeenPullRequest,
  before: SeenPullRequest | null,
  people: People = new Map(),
): SeenPullRequest {
  const { job, nowMs } = builder;
  const { url, facts } = seen;
  const toAnswer = newsToAnswer(seen, job);
  const toReview = reviewsWanted(facts, before?.facts.state, people);
  // An earlier version told nothing: what was so before is no news.
  const known = before === null ? [] : [...toAnswer, ...toReview].map(({ key }) => key);
  const told = seen.told ?? known;
  if (job.muted || isOver(facts)) return { ...seen, told };
  const toldAtMs = (seen.toldAtMs ?? []).filter((atMs) => isWaitOn(atMs + WINDOW_MS, WINDOW_MS, nowMs));
  const untold = (news: readonly PullRequestNews[]) => news.filter(({ key }) => !told.includes(key));
  const messages = gathered(untold(toAnswer), MESSAGES_MAX - toldAtMs.length);
  const wanted = untold(toReview);
  const names = wanted.flatMap((one) => one.names);
  for (const news of [...messages, ...wanted.slice(0, 1).map((one) => [{ ...one, names }])]) {
    builder.announceOnce(`${naturalKey}:${news[0]?.key}`, { kind: 'review_news', url, news });
  }
  const keys = [...messages.flat(), ...wanted].map(({ key }) => key);
  if (keys.length === 0) return { ...seen, told };
  return {
    ...seen,
    told: [...told, ...keys].slice(-KEYS_MAX),
    toldAtMs: [...toldAtMs, ...messages.map(() => nowMs)],
  };
}

function gathered(news: readonly PullRequestNews[], room: number): readonly (typeof news)[] {
  if (news.length <= room) return news.map((one) => [one]);
  return room > 0 ? [news] : [];
}

/** Whose profiles are worth a look. */
export function untoldReviewers(job: Job, url: string, { state, reviewers = [] }: PullRequestFacts) {
  const { told = [] } = seenPullRequest(job, url) ?? {};
  return state === 'open' && !job.muted ? reviewers.filter((name) => !told.includes(reviewerKey(name))) : [];
}

function reviewerKey(name: string) {
  return `reviewer:${name.toLowerCase()}`;
}

/** Once for each reviewer, and once if a draft becomes ready. */
function reviewsWanted(
  { state, reviewers = [] }: PullRequestFacts,
  before: PullRequestFacts['state'],
  people: People,
): PullRequestNews[] {
  if (state !== 'open') return [];
  const wanted = reviewers.map((name): PullRequestNews => {
    const userId = people.get(name.toLowerCase());
    const names = [{ name, url: null, ...(userId !== undefined && { userId }) }];
    return { kind: 'reviewers', key: reviewerKey(name), names };
  });
  return before === 'draft' ? [...wanted, { kind: 'reviewers', key: 'ready', names: [] }] : wanted;
}

/** Null: answered, superseded, dismissed, or over. */
export function openNews(job: Job, newsKey: string) {
  for (const pullRequest of job.pullRequests ?? []) {
    const news = newsToAnswer(pullRequest, job).find(({ key }) => key === newsKey);
    const earlier = pullRequest.answers?.find(({ key }) => key === newsKey);
    if (news !== undefined) return { url: pullRequest.url, news, sent: earlier?.sent ?? [] };
  }
  return null;
}

export function answerNews(builder: DecisionBuilder, event: EventOf<'news_answered'>): void {
  const { userId, text, news: key, sent = [], hasMore } = event;
  const open = openNews(builder.job, key);
  if (open === null) return;
  builder.announce({ kind: 'follow_up', userId, text });
  const { pullRequests = [], turn } = builder.job;
  const answer = hasMore ? { key, sent: [...open.sent, ...sent], turn } : { key, sent: [] };
  const others = ({ answers = [] }: SeenPullRequest) => answers.filter((one) => one.key !== key);
  builder.change({
    pullRequests: pullRequests.map((one) => ({
      ...one,
      answers: [...others(one), answer].slice(-ANSWERS_MAX),
    })),
  });
  builder.refreshCard();
}

export const reviewNewsOffer: OfferRules['review_news'] = {
  isAbout: (press, { keys }) => press.type === 'news_answered' && keys.includes(press.news),
  isOpen: ({ job }, { keys }) => keys.some((key) => openNews(job, key) !== null),
};
