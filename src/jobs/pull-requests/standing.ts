import { type Job, shownLinkOf } from '../job.ts';
import { type PullRequestFacts, type SeenPullRequest, seenPullRequest } from './pull-request.ts';

type Standing =
  | 'merged'
  | 'closed'
  | 'checks_failing'
  | 'draft'
  | 'changes_requested'
  | 'approved'
  | 'waiting_for_review';

export function standingOf({ state, checks, review }: PullRequestFacts): Standing | null {
  if (state === 'merged' || state === 'closed') return state;
  if (checks === 'failing') return 'checks_failing';
  if (state === 'draft') return state;
  return review ?? (state === 'open' ? 'waiting_for_review' : null);
}

export function lastPullRequestOf(job: Job): SeenPullRequest | null {
  const prLink = job.agentJob?.prLink ?? job.announcedPrLink;
  return prLink === null ? null : seenPullRequest(job, prLink);
}

export function jobStandingOf(job: Job): Standing | null {
  const seen = lastPullRequestOf(job);
  return seen === null ? null : standingOf(seen.facts);
}

/** The card omits that all is well. */
const ON_CARD = ['merged', 'closed', 'checks_failing', 'changes_requested'] as const satisfies Standing[];

type CardStanding = (typeof ON_CARD)[number];

export function standingOnCard(facts: PullRequestFacts): CardStanding | null {
  const standing = standingOf(facts);
  return ON_CARD.find((shown) => shown === standing) ?? null;
}

export function cardStandingOf(job: Job): CardStanding | null {
  const { stage } = job;
  if (stage.kind !== 'ended' || shownLinkOf(job) === null) return null;
  const standing = standingOnCard(lastPullRequestOf(job)?.facts ?? {});
  if (stage.status === 'archived') return standing === 'merged' || standing === 'closed' ? standing : null;
  return stage.status === 'completed' ? standing : null;
}
