import { isEnded } from '../../../jobs/agent-job.ts';
import type { Dropped } from '../../../jobs/draft.ts';
import {
  type CardWait,
  type Ended,
  isUnseen,
  isUnwatched,
  type Job,
  type Stage,
  type Trouble,
  type Working,
  workingSince,
} from '../../../jobs/job.ts';
import { type CodeHostSite, PUBLIC_SITES } from '../../../jobs/pull-requests/link.ts';
import { cardStandingOf } from '../../../jobs/pull-requests/standing.ts';
import { ago, asWritten, channelMention, duration, type Mrkdwn, moment, mrkdwn } from './mrkdwn.ts';
import { readableLink } from './pull-request.ts';
import { oneLine } from './untrusted.ts';
import { draftTexts, labels, replies } from './words.ts';

const STATUS_MAX = 100;
const WORDS_MAX = 300;
/** A card's state line, also used by lists and *Details*: icon, word, then facts. */
const states = {
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

export const warnings = {
  undelivered: (count: number) => mrkdwn`⚠️ ${replies(count)} may not be included`,
  waiting: (count: number, untilMs: number | null) =>
    untilMs === null
      ? mrkdwn`⏳ ${replies(count)} waiting`
      : mrkdwn`⏳ ${replies(count)} waiting until ${moment(untilMs)}`,
  waitingForAdmin: (count: number) => mrkdwn`⏳ ${replies(count)} waiting for an administrator`,
  muted: mrkdwn`🔇 Muted: only mentions reach the agent`,
} as const;

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

const NAME_MAX = 100;

/**
 * A job's state in one line.
 * @param sites for short names of pull requests
 * @param names Slack ids to names, for those who decided
 */
export function stateLine(
  job: Job,
  sites: readonly CodeHostSite[] = PUBLIC_SITES,
  names: ReadonlyMap<string, string> = new Map(),
): Mrkdwn {
  const trouble = headlineTrouble(job);
  if (trouble !== null) return waitingLine(trouble);
  const pausedUntilMs = job.recentNews?.pausedUntilMs ?? null;
  if (pausedUntilMs !== null) return states.keepsChanging(pausedUntilMs);
  const { stage } = job;
  switch (stage.kind) {
    case 'awaiting_confirmation':
      return states.startAnother;
    case 'draft':
      return draftTexts.waiting;
    case 'dropped':
      return droppedLine(job, stage, names);
    case 'opening':
      return openingLine(stage.waitsFor, job);
    case 'creating':
      return states.starting;
    case 'card_failed':
      return states.notStarted;
    case 'create_unknown':
      return states.startUnconfirmed;
    case 'rejected':
      return states.notAccepted(stage.message);
    case 'working':
      return isUnwatched(job) ? states.unwatched : workingLine(job, stage);
    case 'ended':
      return endLine(job, stage, sites);
  }
}

/** A draft did not start; with an unclear start, nobody knows. */
function droppedLine(
  { creates }: Job,
  { byUserId, why }: Dropped,
  names: ReadonlyMap<string, string>,
): Mrkdwn {
  if (creates === 0 || why === 'withdrawn') return draftTexts.dropped;
  return states.dismissed(oneLine(names.get(byUserId ?? '') ?? labels.somebody, NAME_MAX));
}

/** Without a card, only lists and the home tab show it. */
function openingLine(waitsFor: CardWait | undefined, { channelId }: Job): Mrkdwn {
  switch (waitsFor) {
    case 'invitation':
      return states.waitsForInvitation(channelMention(channelId));
    case 'administrator':
      return states.needsAdmin;
    case undefined:
      return states.starting;
  }
}

/** The API may still report the end of the turn before, while the agent works. */
function workingLine(job: Job, stage: Working): Mrkdwn {
  const { isOlder } = stage;
  const { agentJob, checkedAtMs } = job;
  const status = agentJob?.status ?? 'active';
  // The agent has not been asked yet about a job that a person named.
  const isUnread = isOlder === true && checkedAtMs === null;
  if (status !== 'active' && !isEnded(status) && !isUnread) return states.otherStatus(status);
  const sinceMs = isOlder === true ? null : workingSince(stage);
  // In the first turn, they are part of the request.
  const count = job.turn === 1 ? 0 : (job.turnReplies?.count ?? 0);
  return count === 0 ? states.working(sinceMs) : states.workingOn(count, sinceMs);
}

function endLine(job: Job, { status, tookMs }: Ended, sites: readonly CodeHostSite[]): Mrkdwn {
  const prLink = job.agentJob?.prLink ?? null;
  const standing = cardStandingOf(job);
  if (prLink !== null && standing !== null) return standings[standing](readableLink(prLink, sites));
  switch (status) {
    case 'completed': {
      if (!prLink) return states.donePlain;
      return pullRequestLine(job, readableLink(prLink, sites), tookMs ?? null);
    }
    case 'failed':
      return states.failed;
    case 'archived':
      return states.archived;
    case 'vanished':
      return isUnseen(job) ? states.neverKnown(job.watchedAgentJobId ?? '', job.projectName) : states.gone;
  }
}

const standings = {
  merged: states.merged,
  closed: states.closed,
  checks_failing: states.checksFailing,
  changes_requested: states.changesRequested,
} as const;

function pullRequestLine(
  { turn, prLinkTurn = 1, turnReplies }: Job,
  link: Mrkdwn | null,
  tookMs: number | null,
): Mrkdwn {
  return turn === prLinkTurn
    ? states.pullRequestReady(link, tookMs)
    : states.updated(link, turnReplies?.count ?? 0);
}

export function waitingLine({ kind, source, retryAtMs }: Trouble): Mrkdwn {
  switch (kind) {
    case 'rate_limited':
      return source === 'send' ? states.hourlyLimit(retryAtMs) : states.slowedDown(retryAtMs);
    case 'unreachable':
      return states.unreachable(retryAtMs);
    case 'needs_admin':
      return states.needsAdmin;
  }
}

/** The trouble that is the state now. One that only holds up replies is shown beside them. */
function headlineTrouble(job: Job): Trouble | null {
  const isOutOfSight = job.stage.kind === 'working' && job.trouble?.source === 'check';
  return isOutOfSight || isStarting(job.stage) ? job.trouble : null;
}

/** There is no agent job yet, and a trouble holds up its start. */
function isStarting({ kind }: Stage): boolean {
  return kind === 'opening' || kind === 'creating';
}
