import type { Job } from '../job.ts';
import type { TurnNews } from '../news.ts';
import { isWaitOn } from '../schedule/schedule.ts';
import type { DecisionBuilder } from './decision-builder.ts';

/** That the agent works again is news once in this time; each time that it was, this doubles. */
const RETURN_TOLD_AGAIN_AFTER_MS = 600_000;

/** Beyond these, the thread may be told of the oldest once more. */
const MAX_LINKS = 50;

/** What the thread was told of the turn that goes on, or of the last one. */
export function turnNewsOf({ turn, turnNews, lastAnnounced }: Job): TurnNews {
  if (turnNews?.turn === turn) return turnNews;
  const isRecorded = turnNews !== undefined || lastAnnounced?.turn !== turn;
  const statuses = isRecorded ? [] : [lastAnnounced.status];
  return { turn, statuses, links: [], returns: 0, returnedAtMs: 0 };
}

/** Whether the status is news: one that comes and goes is, once in a turn. Then it is noted as told. */
export function noteStatus(builder: DecisionBuilder, status: string): boolean {
  const news = turnNewsOf(builder.job);
  if (news.statuses.includes(status)) return false;
  builder.change({ turnNews: { ...news, statuses: [...news.statuses, status] } });
  return true;
}

/** The pull requests that the thread was told in this turn, and the one before. */
export function toldLinks(job: Job): readonly string[] {
  const { links } = turnNewsOf(job);
  return job.announcedPrLink === null ? links : [...links, job.announcedPrLink];
}

export function noteLink(builder: DecisionBuilder, url: string): void {
  const news = turnNewsOf(builder.job);
  builder.change({
    announcedPrLink: url,
    turnNews: { ...news, links: [...new Set([...news.links, url])].slice(-MAX_LINKS) },
  });
}

/** What was told was another turn's. */
export function forgetStatuses(builder: DecisionBuilder): void {
  builder.change({ turnNews: { ...turnNewsOf(builder.job), statuses: [] } });
}

/** Whether it is news that the agent works again, and so is whatever it comes to. Then it is noted as told. */
export function isReturnNews(builder: DecisionBuilder): boolean {
  const { nowMs } = builder.context;
  const news = turnNewsOf(builder.job);
  const { returns, returnedAtMs } = news;
  const quietMs = returns === 0 ? 0 : RETURN_TOLD_AGAIN_AFTER_MS * 2 ** (returns - 1);
  if (isWaitOn(returnedAtMs + quietMs, quietMs, nowMs)) return false;
  builder.change({ turnNews: { ...news, statuses: [], returns: returns + 1, returnedAtMs: nowMs } });
  return true;
}
