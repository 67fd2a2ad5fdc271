import type { Job } from '../job.ts';
import { type PullRequestFacts, type SeenPullRequest, seenPullRequest } from './pull-request.ts';

/** What matters most of how a pull request stands. */
export type Standing =
  | 'merged'
  | 'closed'
  | 'checks_failing'
  | 'draft'
  | 'changes_requested'
  | 'approved'
  | 'waiting_for_review';

/** Null: its code host has not said. */
function standingOf({ state, checks, review }: PullRequestFacts): Standing | null {
  if (state === 'merged' || state === 'closed') return state;
  if (checks === 'failing') return 'checks_failing';
  if (state === 'draft') return state;
  return review ?? (state === 'open' ? 'waiting_for_review' : null);
}

/** The pull request that the job has come to last, as far as its code host was asked; null: it was not. */
export function lastPullRequestOf(job: Job): SeenPullRequest | null {
  const prLink = job.agentJob?.prLink ?? job.announcedPrLink;
  return prLink === null ? null : seenPullRequest(job, prLink);
}

/** How the pull request stands that the job has come to last; null: there is none, or that is not known. */
export function jobStandingOf(job: Job): Standing | null {
  const seen = lastPullRequestOf(job);
  return seen === null ? null : standingOf(seen.facts);
}

type CardStanding = Extract<Standing, 'merged' | 'closed' | 'checks_failing'>;

/** As far as a card tells it: that all is well, or goes its way, is news for the thread. */
export function cardStandingOf(job: Job): CardStanding | null {
  const { stage } = job;
  if (stage.kind !== 'ended' || !job.agentJob?.prLink) return null;
  if (stage.status !== 'completed' && stage.status !== 'archived') return null;
  const standing = jobStandingOf(job);
  if (standing === 'merged' || standing === 'closed') return standing;
  return standing === 'checks_failing' && stage.status === 'completed' ? standing : null;
}
