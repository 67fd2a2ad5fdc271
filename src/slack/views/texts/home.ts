import { type Mrkdwn, moment, mrkdwn } from '../parts/mrkdwn.ts';
import { oneLine } from '../parts/untrusted.ts';

const NAME_MAX = 100;
const PROBLEM_MAX = 200;

/** What the home tab says besides its jobs. */
export const homeTexts = {
  intro: mrkdwn`Ask for a documentation change, get the pull request.`,
  needsYou: 'Needs your attention',
  open: 'Open',
  noneOpen: mrkdwn`Nothing is open.`,
  pullRequests: 'Recent pull requests',
  noPullRequests: mrkdwn`None yet.`,
  status: 'Status',
  more: mrkdwn`\`/docs-agent list\` shows the rest`,
  connected: mrkdwn`✅ Slack is connected`,
  notConnected: (problem: string) => mrkdwn`⚠️ *Slack* · ${oneLine(problem, PROBLEM_MAX)}`,
  asOf: (atMs: number) => mrkdwn`as of ${moment(atMs)}`,
  project: (name: string) => mrkdwn`*${oneLine(name, NAME_MAX)}*`,
  answered: (atMs: number) => mrkdwn`✅ the agent answered ${moment(atMs)}`,
  notAsked: mrkdwn`no contact with the agent since the last restart`,
  troubles: {
    rate_limited: (sinceMs: number) =>
      mrkdwn`⏳ the agent has been limiting requests (since ${moment(sinceMs)})`,
    unreachable: (sinceMs: number) => mrkdwn`⏳ can't reach the agent (since ${moment(sinceMs)})`,
    needs_admin: (sinceMs: number) =>
      mrkdwn`⚠️ an administrator needs to fix the connection to the agent (since ${moment(sinceMs)})`,
  },
  budget: (left: number, hourly: number) => mrkdwn`${left} of ${hourly} requests and replies left this hour`,
  administrators: 'For administrators',
  /** `why`: sentences. */
  waiting: (why: Mrkdwn, posts: number) =>
    mrkdwn`⏳ ${why} ${posts === 1 ? '1 message is' : `${posts} messages are`} waiting.`,
  /** `atMs`: when Slack was asked; null: nobody has asked yet. */
  checked: (atMs: number | null) =>
    atMs === null
      ? mrkdwn`Permissions and notice channels are being checked…`
      : mrkdwn`Checked ${moment(atMs)}`,
} as const;
