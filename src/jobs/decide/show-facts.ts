import { isOver, type PullRequestFacts } from '../pull-requests/pull-request.ts';
import { standingOnCard } from '../pull-requests/standing.ts';
import type { DecisionBuilder } from './decision-builder.ts';

/** Edits that only say how far a pull request has come are gathered: checks come and go. */
const GATHERED_FOR_MS = 10_000;

/** What Slack shows of a pull request is edited where that has changed. Edits ping nobody. */
export function showFacts(builder: DecisionBuilder, before: PullRequestFacts, after: PullRequestFacts): void {
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
  builder.refreshNotices(when);
}

/** The part that messages and notices show. */
function shownOf(facts: PullRequestFacts): string {
  const { title, state, size, checks, review, previewUrl } = facts;
  return JSON.stringify([title, state, size, previewUrl, ...(isOver(facts) ? [] : [checks, review])]);
}
