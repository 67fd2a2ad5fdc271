import type { FollowUp } from '../../../jobs/follow-ups/follow-up.ts';
import { type Mrkdwn, moment, mrkdwn } from '../parts/mrkdwn.ts';
import { replies } from '../parts/words.ts';

/** What a job in full says besides its facts. */
export const statusTexts = {
  again: (name: string) => mrkdwn`\`/docs-agent status ${name}\` shows this again`,
  stopWatching: mrkdwn`*Stop watching* ends the updates in the thread. The agent itself keeps working.`,
  noSuchJob: mrkdwn`🔍 *I can't find that job* among yours and those of this channel. \`/docs-agent list\` shows them.`,
  noJobYet: mrkdwn`🔍 *You haven't asked for anything yet.* \`/docs-agent explain the rate limits\` starts a job.`,
  asked: (who: Mrkdwn, channel: Mrkdwn, atMs: number) =>
    mrkdwn`Asked by ${who} in ${channel} ${moment(atMs)}`,
  watched: (who: Mrkdwn, channel: Mrkdwn, atMs: number) =>
    mrkdwn`Watched by ${who} in ${channel} since ${moment(atMs)}`,
  checked: (atMs: number) => mrkdwn`last checked ${moment(atMs)}`,
  job: (number: number) => `Job #${number}`,
  project: (name: string) => `Project ${name}`,
  repository: (name: string) => `Repository ${name}`,
  branch: (name: string) => `Branch ${name}`,
  model: (name: string) => `Model ${name}`,
  agentJob: (id: string) => `Agent job ${id}`,
  id: (id: string) => `Id ${id}`,
  turn: (number: number, atMs: number) => mrkdwn`*Turn ${number}* ${moment(atMs)}`,
  mayNotHaveArrived: mrkdwn`may not have arrived`,
  earlierTurns: (count: number) => mrkdwn`${count} earlier ${count === 1 ? 'turn' : 'turns'} not shown`,
  /** A turn may have several: without icons, since a line has one at most. */
  outcomes: {
    finished: (atMs: number) => mrkdwn`*Done* ${moment(atMs)}`,
    failed: (atMs: number) => mrkdwn`*Failed* ${moment(atMs)}`,
    archived: (atMs: number) => mrkdwn`*Archived* ${moment(atMs)}`,
    vanished: (atMs: number) => mrkdwn`*Gone* ${moment(atMs)}`,
    pull_request: (atMs: number) => mrkdwn`*Pull request* ${moment(atMs)}`,
  },
  unsent: {
    waiting: '👀 Waiting:',
    sending: '👀 Being sent:',
    sent: '✅ Sent:',
    not_sent: '⚠️ Not sent:',
    unknown: '❓ May have arrived:',
    withdrawn: 'Withdrawn:',
    aside: '💬 Aside:',
    muted: '🔇 Muted:',
    excluded: 'Kept out:',
  } satisfies Readonly<Record<FollowUp['state'], string>>,
  moreUnsent: (count: number) => mrkdwn`${replies(count)} more not sent`,
} as const;
