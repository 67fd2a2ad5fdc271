import type { PullRequestFacts, PullRequestState } from '../../../../jobs/pull-requests/pull-request.ts';
import type { Standing } from '../../../../jobs/pull-requests/standing.ts';
import { moment, mrkdwn } from '../../parts/mrkdwn.ts';

const numbers = new Intl.NumberFormat('en-US');

/** What the code host says of a pull request. */
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
  /** In a list, in one word. */
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
  /** The code host has said so then, and perhaps not since. */
  asOf: (atMs: number) => mrkdwn`as of ${moment(atMs)}`,
  readyAfter: (lasted: string) => mrkdwn`pull request after ${lasted}`,
  mergedAfter: (lasted: string) => mrkdwn`merged after ${lasted}`,
} as const;
