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

type People = ReadonlyMap<string, string>;

/** Returns what the thread has been told. @param stateBefore of the last look */
export function tellNews(
  builder: DecisionBuilder,
  naturalKey: string,
  seen: SeenPullRequest,
  stateBefore: PullRequestFacts['state'],
  people: People = new Map(),
): SeenPullRequest {
  const { job, nowMs } = builder;
  const { url, facts, told = [] } = seen;
  if (job.muted || isOver(facts)) return seen;
  const toldAtMs = (seen.toldAtMs ?? []).filter((atMs) => isWaitOn(atMs + WINDOW_MS, WINDOW_MS, nowMs));
  const untold = (news: readonly PullRequestNews[]) => news.filter(({ key }) => !told.includes(key));
  const messages = gathered(untold(newsToAnswer(seen)), MESSAGES_MAX - toldAtMs.length);
  const wanted = untold(reviewsWanted(facts, stateBefore, people));
  const names = wanted.flatMap((one) => one.names);
  for (const news of [...messages, ...wanted.slice(0, 1).map((one) => [{ ...one, names }])]) {
    builder.announceOnce(`${naturalKey}:${news[0]?.key}`, { kind: 'review_news', url, news });
  }
  const keys = [...messages.flat(), ...wanted].map(({ key }) => key);
  if (keys.length === 0) return seen;
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
    return { kind: 'reviewers', key: `reviewer:${name.toLowerCase()}`, names };
  });
  return before === 'draft' ? [...wanted, { kind: 'reviewers', key: 'ready', names: [] }] : wanted;
}

/** Null: answered, superseded, dismissed, or over. */
export function openNews(job: Job, newsKey: string) {
  for (const pullRequest of job.pullRequests ?? []) {
    const news = newsToAnswer(pullRequest).find(({ key }) => key === newsKey);
    if (news !== undefined) return { url: pullRequest.url, news };
  }
  return null;
}

export function answerNews(builder: DecisionBuilder, event: EventOf<'news_answered'>): void {
  const { userId, text, news } = event;
  if (openNews(builder.job, news) === null) return;
  builder.announce({ kind: 'follow_up', userId, text });
  const { pullRequests = [] } = builder.job;
  builder.change({
    pullRequests: pullRequests.map((one) => ({
      ...one,
      answered: [...(one.answered ?? []), news].slice(-KEYS_MAX),
    })),
  });
  builder.refreshCard();
}

export const reviewNewsOffer: OfferRules['review_news'] = {
  isAbout: (press, { keys }) => press.type === 'news_answered' && keys.includes(press.news),
  isOpen: ({ job }, { keys }) => keys.some((key) => openNews(job, key) !== null),
};
