import { isEnded } from '../../../jobs/agent-job.ts';
import {
  type Ended,
  isUnseen,
  isUnwatched,
  type Job,
  type Trouble,
  type Working,
  workingSince,
} from '../../../jobs/job.ts';
import { cardStandingOf } from '../../../jobs/pull-requests/standing.ts';
import {
  ago,
  asWritten,
  channelMention,
  duration,
  joined,
  type Mrkdwn,
  moment,
  mrkdwn,
  replies,
} from './mrkdwn.ts';
import { readableLink, type Sites } from './pull-request.ts';
import { type Names, oneLine } from './untrusted.ts';
import { nameIn } from './words.ts';

const WORDS_MAX = 300;

export const mutedWarning = mrkdwn`🔇 Muted: only mentions reach the agent`;

export function undeliveredWarning(count: number): Mrkdwn {
  return mrkdwn`⚠️ ${replies(count)} may not be included`;
}

const starting = mrkdwn`🚀 *Starting*`;
const waitsForAdmin = mrkdwn`⚠️ *Waiting for an administrator* · saved, continues once it's fixed`;
const standings = {
  merged: mrkdwn`✅ *Merged*`,
  closed: mrkdwn`⚪ *Closed without merging*`,
  checks_failing: mrkdwn`⚠️ *Checks failing*`,
  changes_requested: mrkdwn`👀 *Changes requested*`,
} as const;

/**
 * A job's state in one line, on its card, in lists and in *Details*: icon, word, then facts.
 * @param names for those who decided
 */
export function stateLine(job: Job, sites?: Sites, names: Names = new Map()): Mrkdwn {
  const { stage, trouble } = job;
  if (trouble !== null && isHeadline(job, trouble)) return waitingLine(trouble);
  const pausedUntilMs = job.recentNews?.pausedUntilMs ?? null;
  if (pausedUntilMs !== null) {
    return mrkdwn`⚠️ *The agent keeps changing its answer* · I'll look again ${moment(pausedUntilMs)}`;
  }
  switch (stage.kind) {
    case 'awaiting_confirmation':
      return mrkdwn`❓ *Start another?*`;
    case 'draft':
      return mrkdwn`📝 *Draft*`;
    case 'dropped':
      // A draft did not start; with an unclear start, nobody knows.
      return job.creates === 0 || stage.why === 'withdrawn'
        ? mrkdwn`⚪ *Not started*`
        : mrkdwn`⚪ *Dismissed* by ${nameIn(names, stage.byUserId)}`;
    case 'opening':
      // Without a card, only lists and the home tab show what it waits for.
      if (stage.waitsFor === 'administrator') return waitsForAdmin;
      return stage.waitsFor === undefined
        ? starting
        : mrkdwn`⏳ *Waiting for an invitation* to ${channelMention(job.channelId)}`;
    case 'creating':
      return starting;
    case 'card_failed':
      // Likewise.
      return mrkdwn`❌ *Not started* · Slack didn't accept the card`;
    case 'create_unknown':
      return mrkdwn`❓ *Couldn't confirm the start*`;
    case 'rejected': {
      const words = stage.message === '' ? 'the agent gave no reason' : oneLine(stage.message, WORDS_MAX);
      return mrkdwn`❌ *Not accepted* · ${asWritten(words)}`;
    }
    case 'working':
      return isUnwatched(job)
        ? mrkdwn`⚪ *No longer watching* · the agent may still be working`
        : workingLine(job, stage);
    case 'ended':
      return endLine(job, stage, sites);
  }
}

/** The API may still report the end of the turn before, while the agent works. */
function workingLine(job: Job, stage: Working): Mrkdwn {
  const { isOlder } = stage;
  const { agentJob, checkedAtMs } = job;
  const status = agentJob?.status ?? 'active';
  // The agent has not been asked yet about a job that a person named.
  const isUnread = isOlder === true && checkedAtMs === null;
  if (status !== 'active' && !isEnded(status) && !isUnread) {
    return mrkdwn`ℹ️ *${asWritten(oneLine(status))}*`;
  }
  // In the first turn, they are part of the request.
  const count = job.turn === 1 ? 0 : (job.turnReplies?.count ?? 0);
  return joined([
    count === 0 ? mrkdwn`⚙️ *Working*` : mrkdwn`⚙️ *Working on ${replies(count)}*`,
    isOlder !== true && mrkdwn`started ${ago(workingSince(stage))}`,
  ]);
}

function endLine(job: Job, { status, tookMs }: Ended, sites?: Sites): Mrkdwn {
  const { agentJob, turn, prLinkTurn = 1, turnReplies } = job;
  const link = agentJob?.prLink ? readableLink(agentJob.prLink, sites) : null;
  const standing = cardStandingOf(job);
  if (standing !== null) return joined([standings[standing], link]);
  switch (status) {
    case 'completed': {
      if (!agentJob?.prLink) return mrkdwn`✅ *Done, no pull request*`;
      if (turn === prLinkTurn) {
        return joined([mrkdwn`✅ *Pull request ready*`, link, tookMs !== undefined && duration(tookMs)]);
      }
      const count = turnReplies?.count ?? 0;
      return joined([mrkdwn`✅ *Updated*`, link, count > 0 && `${replies(count)} included`]);
    }
    case 'failed':
      return mrkdwn`❌ *Failed* · the agent gave no reason`;
    case 'archived':
      return mrkdwn`⚪ *Archived* · a reply may still reopen it`;
    case 'vanished': {
      if (!isUnseen(job)) return mrkdwn`❌ *The agent no longer knows this job*`;
      const id = oneLine(job.watchedAgentJobId ?? '');
      return mrkdwn`❌ *The agent has no job “${id}” in the ${oneLine(job.projectName)} project*`;
    }
  }
}

export function waitingLine({ kind, source, retryAtMs }: Trouble): Mrkdwn {
  const at = moment(retryAtMs);
  switch (kind) {
    case 'rate_limited':
      return source === 'send'
        ? mrkdwn`⏳ *Waiting* · the agent's hourly limit is used up · continues ${at}`
        : mrkdwn`⏳ *Waiting* · the agent asked for a pause · continues ${at}`;
    case 'unreachable':
      return mrkdwn`⏳ *Waiting* · can't reach the agent · next try ${at}`;
    case 'needs_admin':
      return waitsForAdmin;
  }
}

/** The trouble is the state now. One that only holds up replies is shown beside them. */
function isHeadline({ stage: { kind } }: Job, { source }: Trouble): boolean {
  return kind === 'opening' || kind === 'creating' || (kind === 'working' && source === 'check');
}
