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
} from '#jobs/pull-requests/pull-request.ts';
import { isWaitOn } from '#jobs/schedule/schedule.ts';

/** Messages about checks and reviews. More news waits, and is gathered into one. */
const MESSAGES_MAX = 3;
const WINDOW_MS = 600_000;
const KEYS_MAX = 200;
/** More than are open at a time. */
const ANSWERS_MAX = 20;

/** Returns what the thread has been told. @param before of the last look; null: this is the first */
export function tellNews(
  builder: DecisionBuilder,
  naturalKey: string,
  seen: SeenPullRequest,
  before: SeenPullRequest | null,
): SeenPullRequest {
  const { job, nowMs } = builder;
  const { url, facts } = seen;
  const toAnswer = newsToAnswer(seen, job);
  const isReady = before?.facts.state === 'draft';
  const toReview = reviewsWanted(facts, isReady);
  // An earlier version told nothing: what was so before is no news.
  const known = before === null ? [] : [...toAnswer, ...(isReady ? [] : toReview)].map(({ key }) => key);
  const told = seen.told ?? known;
  if (job.muted || isOver(facts)) return { ...seen, told };
  const toldAtMs = (seen.toldAtMs ?? []).filter((atMs) => isWaitOn(atMs + WINDOW_MS, WINDOW_MS, nowMs));
  const untold = (news: readonly PullRequestNews[]) => news.filter(({ key }) => !told.includes(key));
  const messages = gathered(untold(toAnswer), MESSAGES_MAX - toldAtMs.length);
  const wanted = untold(toReview);
  const isNewlyReady = wanted.some(({ key }) => key === READY);
  const names = (isNewlyReady ? toReview : wanted).flatMap((one) => one.names);
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

const READY = 'ready';

/** Once for each reviewer, and once if a draft becomes ready. */
function reviewsWanted({ state, reviewers = [] }: PullRequestFacts, isReady: boolean): PullRequestNews[] {
  if (state !== 'open') return [];
  const wanted = reviewers
    .filter(({ userId }) => userId !== null)
    .map((one): PullRequestNews => {
      return { kind: 'reviewers', key: `reviewer:${one.name.toLowerCase()}`, names: [one] };
    });
  return isReady ? [...wanted, { kind: 'reviewers', key: READY, names: [] }] : wanted;
}

/** Null: answered, superseded, dismissed, or over. */
export function openNews(job: Job, newsKey: string) {
  for (const pullRequest of job.pullRequests ?? []) {
    const news = newsToAnswer(pullRequest, job).find(({ key }) => key === newsKey);
    // The next review by the same person may have the same comments.
    const sent = pullRequest.answers?.flatMap((earlier) => earlier.sent) ?? [];
    if (news !== undefined) return { url: pullRequest.url, news, sent };
  }
  return null;
}

export function answerNews(builder: DecisionBuilder, event: EventOf<'news_answered'>): void {
  const { userId, text, news: key, sent = [], hasMore } = event;
  const open = openNews(builder.job, key);
  if (open === null || text === '') return;
  builder.announce({ kind: 'follow_up', userId, text });
  const { pullRequests = [], turn } = builder.job;
  const withAnswer = (seen: SeenPullRequest) => {
    const { answers = [] } = seen;
    const earlier = answers.find((one) => one.key === key)?.sent ?? [];
    const answer = { key, sent: [...earlier, ...sent], ...(hasMore && { turn }) };
    return { ...seen, answers: [...answers.filter((one) => one.key !== key), answer].slice(-ANSWERS_MAX) };
  };
  builder.change({ pullRequests: pullRequests.map(withAnswer) });
  builder.refreshCard();
}

export const reviewNewsOffer: OfferRules['review_news'] = {
  isAbout: (press, { keys }) => press.type === 'news_answered' && keys.includes(press.news),
  isOpen: ({ job }, { keys }) => keys.some((key) => openNews(job, key) !== null),
};
