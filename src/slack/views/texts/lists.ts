import { type Mrkdwn, moment, mrkdwn } from '../parts/mrkdwn.ts';

/** What `list` says, and a line about one job among others. */
export const listTexts = {
  title: mrkdwn`📋 *Your jobs, and the open ones of this channel*`,
  empty: mrkdwn`📋 *No jobs.* You haven't started any, and none are open in this channel. \`/docs-agent explain the rate limits\` starts one.`,
  number: (number: number): Mrkdwn => mrkdwn`#${number}`,
  asked: (atMs: number): Mrkdwn => mrkdwn`asked ${moment(atMs)}`,
  by: (who: Mrkdwn): Mrkdwn => mrkdwn` by ${who}`,
  where: (channel: Mrkdwn): Mrkdwn => mrkdwn` in ${channel}`,
  thread: 'thread',
} as const;
