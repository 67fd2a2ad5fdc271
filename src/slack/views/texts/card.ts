import { duration } from '../parts/duration.ts';
import { ago, asWritten, type Mrkdwn, moment, mrkdwn } from '../parts/mrkdwn.ts';
import { oneLine } from '../parts/untrusted.ts';
import { replies } from '../parts/words.ts';

const STATUS_MAX = 100;
const WORDS_MAX = 300;
const NAME_MAX = 100;

/** A card's state line, also used by lists and *Details*: icon, word, then facts. */
export const states = {
  starting: mrkdwn`🚀 *Starting*`,
  /** `sinceMs`: null: unknown. */
  working: (sinceMs: number | null) => started(mrkdwn`⚙️ *Working*`, sinceMs),
  workingOn: (count: number, sinceMs: number | null) =>
    started(mrkdwn`⚙️ *Working on ${replies(count)}*`, sinceMs),
  hourlyLimit: (untilMs: number) =>
    mrkdwn`⏳ *Waiting* · the agent's hourly limit is used up · continues ${moment(untilMs)}`,
  slowedDown: (untilMs: number) =>
    mrkdwn`⏳ *Waiting* · the agent asked for a pause · continues ${moment(untilMs)}`,
  unreachable: (retryAtMs: number) =>
    mrkdwn`⏳ *Waiting* · can't reach the agent · next try ${moment(retryAtMs)}`,
  needsAdmin: mrkdwn`⚠️ *Waiting for an administrator* · saved, continues once it's fixed`,
  waitsForInvitation: (channel: Mrkdwn) => mrkdwn`⏳ *Waiting for an invitation* to ${channel}`,
  /** `link`: null if it cannot be one. */
  pullRequestReady: (link: Mrkdwn | null, tookMs: number | null) =>
    lasting(about(mrkdwn`✅ *Pull request ready*`, link), tookMs),
  updated: (link: Mrkdwn | null, count: number) =>
    count === 0
      ? about(mrkdwn`✅ *Updated*`, link)
      : mrkdwn`${about(mrkdwn`✅ *Updated*`, link)} · ${replies(count)} included`,
  merged: (link: Mrkdwn | null) => about(mrkdwn`✅ *Merged*`, link),
  closed: (link: Mrkdwn | null) => about(mrkdwn`⚪ *Closed without merging*`, link),
  checksFailing: (link: Mrkdwn | null) => about(mrkdwn`⚠️ *Checks failing*`, link),
  changesRequested: (link: Mrkdwn | null) => about(mrkdwn`👀 *Changes requested*`, link),
  donePlain: mrkdwn`✅ *Done, no pull request*`,
  failed: mrkdwn`❌ *Failed* · the agent gave no reason`,
  /** `words`: the agent's; empty if it gave none. */
  notAccepted: (words: string) =>
    mrkdwn`❌ *Not accepted* · ${words === '' ? 'the agent gave no reason' : asWritten(oneLine(words, WORDS_MAX))}`,
  startUnconfirmed: mrkdwn`❓ *Couldn't confirm the start*`,
  gone: mrkdwn`❌ *The agent no longer knows this job*`,
  neverKnown: (agentJobId: string, projectName: string) =>
    mrkdwn`❌ *The agent has no job “${oneLine(agentJobId, NAME_MAX)}” in the ${oneLine(projectName, NAME_MAX)} project*`,
  archived: mrkdwn`⚪ *Archived* · a reply may still reopen it`,
  unwatched: mrkdwn`⚪ *No longer watching* · the agent may still be working`,
  otherStatus: (status: string) => mrkdwn`ℹ️ *${asWritten(oneLine(status, STATUS_MAX))}*`,
  keepsChanging: (untilMs: number) =>
    mrkdwn`⚠️ *The agent keeps changing its answer* · I'll look again ${moment(untilMs)}`,
  /** For a job without a card, which only lists show. */
  notStarted: mrkdwn`❌ *Not started* · Slack didn't accept the card`,
  startAnother: mrkdwn`❓ *Start another?*`,
  dismissed: (name: string) => mrkdwn`⚪ *Dismissed* by ${name}`,
} as const;

/** A card's warning line. */
export const warnings = {
  undelivered: (count: number) => mrkdwn`⚠️ ${replies(count)} may not be included`,
  waiting: (count: number, untilMs: number | null) =>
    untilMs === null
      ? mrkdwn`⏳ ${replies(count)} waiting`
      : mrkdwn`⏳ ${replies(count)} waiting until ${moment(untilMs)}`,
  waitingForAdmin: (count: number) => mrkdwn`⏳ ${replies(count)} waiting for an administrator`,
  muted: mrkdwn`🔇 Muted: only mentions reach the agent`,
} as const;

/** A card's last line. */
export const foot = {
  number: (number: number) => `#${number}`,
  askedBy: (name: string) => `asked by ${name}`,
  place: (project: string, repository: string) => `${project} → ${repository}`,
  thread: 'with messages from this thread',
  snippets: 'with attached text',
} as const;

function about(state: Mrkdwn, link: Mrkdwn | null): Mrkdwn {
  return link === null ? state : mrkdwn`${state} · ${link}`;
}

function started(state: Mrkdwn, sinceMs: number | null): Mrkdwn {
  return sinceMs === null ? state : mrkdwn`${state} · started ${ago(sinceMs)}`;
}

function lasting(state: Mrkdwn, ms: number | null): Mrkdwn {
  return ms === null ? state : mrkdwn`${state} · ${duration(ms)}`;
}
