import { type Mrkdwn, mrkdwn } from '../parts/mrkdwn.ts';
import { replies } from '../parts/words.ts';

const plural = (count: number, one: string): string => `${count} ${one}${count === 1 ? '' : 's'}`;

/** What `/docs-agent report` says. */
export const reportTexts = {
  /** `days`: as in "Nov 16 – 23" */
  title: (days: string): Mrkdwn => mrkdwn`📊 *docs-agent* · ${days}`,
  none: mrkdwn`*No requests*`,
  requests: (count: number): Mrkdwn => mrkdwn`*${plural(count, 'request')}*`,
  pullRequests: (count: number): Mrkdwn => mrkdwn`${plural(count, 'pull request')}`,
  merged: (count: number): Mrkdwn => mrkdwn`${count} merged`,
  fates: {
    failed: (count: number): Mrkdwn => mrkdwn`${count} failed`,
    refused: (count: number): Mrkdwn => mrkdwn`${count} rejected`,
    done: (count: number): Mrkdwn => mrkdwn`${count} without changes`,
    gone: (count: number): Mrkdwn => mrkdwn`${count} no longer known to the agent`,
    archived: (count: number): Mrkdwn => mrkdwn`${count} archived`,
    open: (count: number): Mrkdwn => mrkdwn`${count} running`,
    unclearReplies: (count: number): Mrkdwn => mrkdwn`${replies(count)} unclear`,
    unclear: (count: number): Mrkdwn => mrkdwn`${count} unclear`,
  },
  openIt: 'Open it',
  took: (half: string, most: string): Mrkdwn =>
    mrkdwn`Time to pull request: median ${half}, 90% within ${most}`,
  waiting: (which: Mrkdwn): Mrkdwn => mrkdwn`Waiting for review: ${which}`,
  more: mrkdwn`Operators: run \`docs-agent report\` on the server for the rest.`,
  counting: mrkdwn`⏳ *Counting.* This takes a moment; the report will appear here.`,
} as const;
