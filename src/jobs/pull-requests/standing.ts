import type { Job } from '../job.ts';
import { type PullRequestFacts, type SeenPullRequest, seenPullRequest } from './pull-request.ts';

/** The most important fact about a pull request's progress. */
export type Standing =
  | 'merged'
  | 'closed'
  | 'checks_failing'
  | 'draft'
  | 'changes_requested'
  | 'approved'
  | 'waiting_for_review';

/** Null: its code host has not said. */
export function standingOf({ state, checks, review }: PullRequestFacts): Standing | null {
  if (state === 'merged' || state === 'closed') return state;
  if (checks === 'failing') return 'checks_failing';
  if (state === 'draft') return state;
  return review ?? (state === 'open' ? 'waiting_for_review' : null);
}

/** The job's latest pull request, if its code host has described it. */
export function lastPullRequestOf(job: Job): SeenPullRequest | null {
  const prLink = job.agentJob?.prLink ?? job.announcedPrLink;
  return prLink === null ? null : seenPullRequest(job, prLink);
}

export function jobStandingOf(job: Job): Standing | null {
  const seen = lastPullRequestOf(job);
  return seen === null ? null : standingOf(seen.facts);
}

/** Only the thread and notices say that all is well. */
const ON_CARD = ['merged', 'closed', 'checks_failing', 'changes_requested'] as const satisfies Standing[];

type CardStanding = (typeof ON_CARD)[number];

export function standingOnCard(facts: PullRequestFacts): CardStanding | null {
  const standing = standingOf(facts);
  return ON_CARD.find((shown) => shown === standing) ?? null;
}

/** What the job's card shows of it. A running later turn, or a failure, is more important. */
export function cardStandingOf(job: Job): CardStanding | null {
  const { stage, agentJob } = job;
  if (stage.kind !== 'ended' || !agentJob?.prLink) return null;
  const standing = standingOnCard(lastPullRequestOf(job)?.facts ?? {});
  if (stage.status === 'archived') return standing === 'merged' || standing === 'closed' ? standing : null;
  return stage.status === 'completed' ? standing : null;
}

/**
 * When a reminder of the pull request is due, or null: the first after `afterMs` without activity, by its
 * code host's clock; others only when somebody asked for them.
 */
export function reminderDueAtMs(
  { facts: { state, updatedAtMs }, reminders, remindAfterMs }: SeenPullRequest,
  afterMs: number,
): number | null {
  if (state !== 'open' || afterMs === 0 || remindAfterMs === null) return null;
  if (reminders > 0) return remindAfterMs ?? null;
  return updatedAtMs === undefined ? null : Math.max(updatedAtMs + afterMs, remindAfterMs ?? 0);
}
