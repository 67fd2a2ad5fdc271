import type { Button } from '@slack/types';
import { isOver, type PullRequestFacts, seenPullRequest } from '../../../jobs/pull-requests/pull-request.ts';
import { pullRequestTexts } from '../texts/thread/pull-request.ts';
import { previewButton } from './message.ts';
import { httpUrl } from './pull-request.ts';
import { oneLine } from './untrusted.ts';

const TITLE_MAX = 150;
const RUNS_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/;
const LEFT_TO_RIGHT_MARK = '\u200e';

/** What is known of a pull request; empty if its code host never described it. */
export function factsOfLink(job: Parameters<typeof seenPullRequest>[0], url: string): PullRequestFacts {
  return seenPullRequest(job, url)?.facts ?? {};
}

/** Its title, on one line; null if the code host gives none. */
export function titleOf({ title }: PullRequestFacts): string | null {
  if (title === undefined) return null;
  const shown = oneLine(title, TITLE_MAX);
  // Without it, figures that follow the title would be shown before it.
  return RUNS_LEFT.test(shown) ? shown + LEFT_TO_RIGHT_MARK : shown;
}

/** `+120 −8 in 3 files`. */
export function sizeOf({ size }: PullRequestFacts): string[] {
  if (size === undefined) return [];
  const files = pullRequestTexts.files(size.files);
  const { lines } = size;
  return [lines === null ? files : pullRequestTexts.linesInFiles(pullRequestTexts.lines(lines), files)];
}

/** How it stands: `open`, `checks failing`, `approved`. Of one that is over, that says it all. */
export function progressOf(facts: PullRequestFacts): string[] {
  const { state, checks, review } = facts;
  const { states, checks: checkWords, reviews } = pullRequestTexts;
  const said = state === undefined ? [] : [states[state]];
  if (isOver(facts)) return said;
  if (checks !== undefined) said.push(checkWords[checks]);
  if (review !== undefined) said.push(reviews[review]);
  return said;
}

/** The same in the message that announced it, whose first line says whether it is over, and where open needs no words. */
export function progressBelow(facts: PullRequestFacts): string[] {
  const { state, checks, review } = facts;
  if (isOver(facts)) return [];
  const { states, checks: checkWords, checkIcons, reviews } = pullRequestTexts;
  return [
    ...(state === 'draft' ? [states.draft] : []),
    ...(checks === undefined ? [] : [`${checkIcons[checks]} ${checkWords[checks]}`]),
    ...(review === undefined ? [] : [reviews[review]]),
  ];
}

/** The way to read what was changed; nothing where the code host knows none. */
export function previewButtons({ previewUrl }: PullRequestFacts): Button[] {
  const url = previewUrl === undefined ? null : httpUrl(previewUrl);
  return url === null ? [] : [previewButton(url)];
}
