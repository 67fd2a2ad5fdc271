import type { Button, KnownBlock } from '@slack/types';
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
import type { Standing } from '../../../jobs/pull-requests/standing.ts';
import { REDACTED } from '../../../jobs/secrets.ts';
import { buttonRow, link, previewButton, untrustedParagraph, viewPullRequestButton } from './message.ts';
import { type Mrkdwn, moment, mrkdwn, ownLink } from './mrkdwn.ts';
import { BUTTON_URL_MAX, oneLine } from './untrusted.ts';
import { labels } from './words.ts';

const UNLINKED_MAX = 500;
const SHORT_MAX = 150;
const READABLE_MAX = 120;

interface Looks {
  readonly style?: 'primary';
  readonly beside?: readonly Button[];
}

/** The pull request as a button, or as plain text if the API's value may not become a link. */
export function pullRequest(prLink: string, { style, beside = [] }: Looks = {}): KnownBlock[] {
  const url = httpUrl(prLink);
  if (url === null) {
    const unlinked = untrustedParagraph(labels.unlinked(oneLine(prLink, UNLINKED_MAX)));
    return beside.length === 0 ? [unlinked] : [unlinked, buttonRow(...beside)];
  }
  return [buttonRow(viewPullRequestButton(url, style), ...beside)];
}

/**
 * The pull request as a link within a sentence: `acme/docs#14` if the host is known, else host and path. Null
 * if it may not be a link, or is too long.
 */
export function shortPullRequestLink(prLink: string, sites: readonly CodeHostSite[]): Mrkdwn | null {
  const url = httpUrl(prLink);
  return url === null || link(url) === null ? null : ownLink(url, shortName(url, sites));
}

/** The same, for a line in a list. Also null if the URL is too long for that. */
export function readableLink(prLink: string, sites: readonly CodeHostSite[] = PUBLIC_SITES): Mrkdwn | null {
  return prLink.length > READABLE_MAX ? null : shortPullRequestLink(prLink, sites);
}

function shortName(url: string, sites: readonly CodeHostSite[]): string {
  return oneLine(pullRequestName(url, sites) ?? readableAddress(new URL(url)), SHORT_MAX);
}

/**
 * The normalized http(s) URL if it may become a link, else null. It has no credentials (they would leak, or
 * pass for the host), no white space, `<`, `>` or `|`, and fits a button.
 */
export function httpUrl(text: string): string | null {
  // With a secret removed, it leads nowhere.
  if (text.includes(REDACTED)) return null;
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '')
    return null;
  const href = url.href.replaceAll('|', '%7C');
  return href.length <= BUTTON_URL_MAX ? href : null;
}

const numbers = new Intl.NumberFormat('en-US');

export const pullRequestTexts = {
  lines: ({ added, removed }: { readonly added: number; readonly removed: number }) =>
    `+${numbers.format(added)} −${numbers.format(removed)}`,
  files: (count: number) => `${numbers.format(count)} ${count === 1 ? 'file' : 'files'}`,
  linesInFiles: (lines: string, files: string) => `${lines} in ${files}`,
  states: {
    draft: 'draft',
    open: 'open',
    merged: 'merged',
    closed: 'closed',
  } satisfies Readonly<Record<PullRequestState, string>>,
  checks: {
    pending: 'checks running',
    passing: 'checks passing',
    failing: 'checks failing',
  } satisfies Readonly<Record<NonNullable<PullRequestFacts['checks']>, string>>,
  reviews: {
    approved: 'approved',
    changes_requested: 'changes requested',
  } satisfies Readonly<Record<NonNullable<PullRequestFacts['review']>, string>>,
  checkIcons: {
    pending: '⏳',
    passing: '✅',
    failing: '❌',
  } satisfies Readonly<Record<NonNullable<PullRequestFacts['checks']>, string>>,
  /** In a list, one word each. */
  standings: {
    merged: mrkdwn`merged`,
    closed: mrkdwn`closed`,
    checks_failing: mrkdwn`checks failing`,
    draft: mrkdwn`draft`,
    changes_requested: mrkdwn`changes requested`,
    approved: mrkdwn`approved`,
    waiting_for_review: mrkdwn`waiting for review`,
  } satisfies Readonly<Record<Standing, unknown>>,
  /** Why it is still open. */
  waitsFor: {
    checks_failing: 'checks failing',
    draft: 'still a draft',
    changes_requested: 'changes requested',
    approved: 'approved, ready to merge',
    waiting_for_review: 'waiting for review',
  } satisfies Readonly<Record<Exclude<Standing, 'merged' | 'closed'>, string>>,
  /** As the code host said then; it may have changed since. */
  asOf: (atMs: number) => mrkdwn`as of ${moment(atMs)}`,
  readyAfter: (lasted: string) => mrkdwn`pull request after ${lasted}`,
  mergedAfter: (lasted: string) => mrkdwn`merged after ${lasted}`,
} as const;

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
export function sizeOf({ size }: PullRequestFacts): string[] {
  if (size === undefined) return [];
  const files = pullRequestTexts.files(size.files);
  const { lines } = size;
  return [lines === null ? files : pullRequestTexts.linesInFiles(pullRequestTexts.lines(lines), files)];
}

/** Its progress: `open`, `checks failing`, `approved`; once it is over, only that. */
export function progressOf(facts: PullRequestFacts): string[] {
  const { state, checks, review } = facts;
  const { states, checks: checkWords, reviews } = pullRequestTexts;
  const said = state === undefined ? [] : [states[state]];
  if (isOver(facts)) return said;
  if (checks !== undefined) said.push(checkWords[checks]);
  if (review !== undefined) said.push(reviews[review]);
  return said;
}

/** The same below an announcement, whose first line says whether it is over. "Open" goes without saying. */
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

/** Opens the changed pages, if the code host offers a preview. */
export function previewButtons({ previewUrl }: PullRequestFacts): Button[] {
  const url = previewUrl === undefined ? null : httpUrl(previewUrl);
  return url === null ? [] : [previewButton(url)];
}
