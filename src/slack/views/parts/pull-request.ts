import type { Button } from '@slack/types';
import {
  type CodeHostSite,
  PUBLIC_SITES,
  pullRequestName,
  readableAddress,
} from '../../../jobs/pull-requests/link.ts';
import {
  isOver,
  type PullRequestFacts,
  type PullRequestState,
  seenPullRequest,
} from '../../../jobs/pull-requests/pull-request.ts';
import { buttons } from './buttons.ts';
import { type Blocks, buttonRow, linkButton, untrustedParagraph } from './message.ts';
import { httpUrl, type Mrkdwn, mrkdwn, ownLink, type Parts } from './mrkdwn.ts';
import { oneLine } from './untrusted.ts';

/** Nobody reads longer URLs. */
const LINK_MAX = 1000;
const UNLINKED_MAX = 500;
const SHORT_MAX = 150;
const READABLE_MAX = 120;

/** Pull requests there have short names. Default: the public sites. */
export type Sites = readonly CodeHostSite[];

/** The pull request as a button, or as plain text if the API's value may not become a link. */
export function pullRequest(prLink: string, beside: Parts<Button> = null, style?: 'primary'): Blocks {
  const button = linkButton(buttons.viewPullRequest, prLink, style);
  return [
    button === null && untrustedParagraph(`Pull request: ${oneLine(prLink, UNLINKED_MAX)}`),
    buttonRow(button, beside),
  ];
}

/**
 * The pull request as a link within a sentence: `acme/docs#14` if the host is known, else host and path. Null
 * if it may not be a link, or is too long.
 */
export function shortPullRequestLink(prLink: string, sites: Sites = PUBLIC_SITES): Mrkdwn | null {
  const url = httpUrl(prLink);
  if (url === null || mrkdwn`${url}`.mrkdwn.length > LINK_MAX) return null;
  return ownLink(url, oneLine(pullRequestName(url, sites) ?? readableAddress(new URL(url)), SHORT_MAX));
}

/** The same, for a line in a list. Also null if the URL is too long for that. */
export function readableLink(prLink: string, sites?: Sites): Mrkdwn | null {
  return prLink.length > READABLE_MAX ? null : shortPullRequestLink(prLink, sites);
}

const numbers = new Intl.NumberFormat('en-US');

const STATES: Readonly<Record<PullRequestState, string>> = {
  draft: 'draft',
  open: 'open',
  merged: 'merged',
  closed: 'closed',
};
const CHECKS: Readonly<Record<NonNullable<PullRequestFacts['checks']>, { icon: string; words: string }>> = {
  pending: { icon: '⏳', words: 'checks running' },
  passing: { icon: '✅', words: 'checks passing' },
  failing: { icon: '❌', words: 'checks failing' },
};
const REVIEWS: Readonly<Record<NonNullable<PullRequestFacts['review']>, string>> = {
  approved: 'approved',
  changes_requested: 'changes requested',
};

const TITLE_MAX = 150;
const RUNS_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/;
const LEFT_TO_RIGHT_MARK = '\u200e';

/** Empty if the code host never described it. */
export function factsOfLink(job: Parameters<typeof seenPullRequest>[0], url: string): PullRequestFacts {
  return seenPullRequest(job, url)?.facts ?? {};
}

/** On one line; null if the code host gives none. */
export function titleOf({ title }: PullRequestFacts): string | null {
  if (title === undefined) return null;
  const shown = oneLine(title, TITLE_MAX);
  // Otherwise, figures after the title would be shown before it.
  return RUNS_LEFT.test(shown) ? shown + LEFT_TO_RIGHT_MARK : shown;
}

/** `+120 −8 in 3 files`. */
export function sizeOf({ size }: PullRequestFacts): string | null {
  if (size === undefined) return null;
  const { lines } = size;
  const files = `${numbers.format(size.files)} ${size.files === 1 ? 'file' : 'files'}`;
  return lines === null
    ? files
    : `+${numbers.format(lines.added)} −${numbers.format(lines.removed)} in ${files}`;
}

/** Its progress: `open`, `checks failing`, `approved`; once it is over, only that. */
export function progressOf(facts: PullRequestFacts): Parts<string> {
  const { state, checks, review } = facts;
  const isOpen = !isOver(facts);
  return [
    state && STATES[state],
    isOpen && checks && CHECKS[checks].words,
    isOpen && review && REVIEWS[review],
  ];
}

/** The same below an announcement, whose first line says whether it is over. "Open" goes without saying. */
export function progressBelow(facts: PullRequestFacts): Parts<string> {
  const { state, checks, review } = facts;
  if (isOver(facts)) return null;
  return [
    state === 'draft' && STATES.draft,
    checks && `${CHECKS[checks].icon} ${CHECKS[checks].words}`,
    review && REVIEWS[review],
  ];
}

export function previewButton({ previewUrl = '' }: PullRequestFacts): Button | null {
  return linkButton(buttons.viewPreview, previewUrl);
}
