import type { Button, KnownBlock } from '@slack/types';
import type { Announcement } from '../../../jobs/announcement.ts';
import type { Queue } from '../../../jobs/follow-ups/follow-up-queue.ts';
import { isUnwatched, type Job, mayStartAgain, requestersOf, responsibleFor } from '../../../jobs/job.ts';
import type { CodeHostSite } from '../../../jobs/pull-requests/link.ts';
import { seenPullRequest } from '../../../jobs/pull-requests/pull-request.ts';
import { standingOf } from '../../../jobs/pull-requests/standing.ts';
import { buttons } from '../parts/buttons.ts';
import { duration, fullDuration } from '../parts/duration.ts';
import {
  actionButton,
  buttonRow,
  message,
  paragraph,
  quotation,
  type SlackMessage,
  targetButton,
  viewPullRequestButton,
} from '../parts/message.ts';
import { addressing, type Mrkdwn, mrkdwn } from '../parts/mrkdwn.ts';
import { httpUrl, shortPullRequestLink } from '../parts/pull-request.ts';
import { shown } from '../parts/untrusted.ts';
import { confirmations, decisions } from '../texts/thread/decisions.ts';
import { pullRequestTexts } from '../texts/thread/pull-request.ts';

const REFUSAL_MAX = 1000;

/** What a message asks people to decide, when its buttons are still to be pressed. */
interface Question {
  readonly news: Mrkdwn;
  /** Of others, if they gave any; untrusted. */
  readonly words?: string;
  /** What the buttons do. */
  readonly advice?: Mrkdwn;
  readonly buttons: readonly Button[];
}

const ASKING = [
  'failed',
  'vanished',
  'create_rejected',
  'create_unknown',
  'message_rejected',
  'message_unknown',
  'long_running',
  'reminder',
] as const satisfies readonly Announcement['kind'][];

/** An announcement that is about a decision, and nothing else. */
export type Asking = Extract<Announcement, { kind: (typeof ASKING)[number] }>;

export function isAsking(announcement: Announcement): announcement is Asking {
  return ASKING.some((kind) => kind === announcement.kind);
}

export function askedBy(announcement: Asking, job: Job, sites: readonly CodeHostSite[]): Question {
  const { id: jobId } = job;
  const responsible = addressing(responsibleFor(job));
  switch (announcement.kind) {
    case 'failed': {
      const { news, repeated, adviceWithoutButton } = decisions.failed;
      const { inARow = 1 } = announcement;
      const buttons = startAgainOrEdit(job);
      const said = news(responsible);
      return {
        news: inARow < 2 ? said : mrkdwn`${said} ${repeated(inARow)}`,
        ...(buttons.length === 0 && { advice: adviceWithoutButton }),
        buttons,
      };
    }
    case 'vanished':
      return { news: decisions.gone.news(responsible), buttons: startAgain(job) };
    case 'create_rejected':
      return {
        news: decisions.notAccepted.news(responsible, announcement.message !== ''),
        words: announcement.message,
        buttons: [editAndStart(job)],
      };
    case 'create_unknown':
      return unclearStart(job, announcement.callId, responsible);
    case 'message_rejected':
      return rejectedReplies(announcement, job);
    case 'message_unknown': {
      const { callId, count } = announcement;
      const { news, advice } = decisions.sendUnclear;
      const button = targetButton(buttons.sendAgain, { jobId, callId }, confirmations.sendAgain);
      return { news: news(authors(announcement), count), advice, buttons: [button] };
    }
    case 'long_running': {
      const { question, lastedMs } = announcement;
      const { news, advice } = decisions.longRunning;
      const target = { jobId, question };
      return {
        news: news(responsible, lastedMs === undefined ? null : duration(lastedMs)),
        advice,
        buttons: [targetButton(buttons.keepWatching, target), targetButton(buttons.stopWatching, target)],
      };
    }
    case 'reminder': {
      const { reminderId, url, afterMs, againMs } = announcement;
      const { news, remindIn } = decisions.stillOpen;
      const target = { jobId, reminderId };
      const lasted = afterMs === undefined ? null : fullDuration(afterMs);
      const link = shortPullRequestLink(url, sites);
      const address = httpUrl(url);
      const again = againMs === undefined ? {} : { label: remindIn(fullDuration(againMs)) };
      return {
        news: news(addressing(requestersOf(job)), lasted, link, waitsFor(job, url)),
        buttons: [
          ...(address === null ? [] : [viewPullRequestButton(address)]),
          targetButton({ ...buttons.remindAgain, ...again }, target),
          targetButton(buttons.noMoreReminders, target),
        ],
      };
    }
  }
}

/** Null: its code host has not said, or it is over. */
function waitsFor(job: Job, url: string): string | null {
  const standing = standingOf(seenPullRequest(job, url)?.facts ?? {});
  return standing === null || standing === 'merged' || standing === 'closed'
    ? null
    : pullRequestTexts.waitsFor[standing];
}

/** @param who from `addressing`; null: it is asked in the form for *I found the job…* */
export function unclearStart({ id: jobId }: Job, callId: string, who: Mrkdwn | null): Question {
  const { news, advice } = decisions.startUnclear;
  const target = { jobId, callId };
  return {
    news: news(who ?? addressing([])),
    advice,
    buttons: [
      targetButton(buttons.startAgain, target, confirmations.startAgain),
      ...(who === null ? [] : [targetButton(buttons.watchAgentJob, target)]),
      targetButton(buttons.dismissStart, target),
    ],
  };
}

/** The message that asks. */
export function askingView({ news, words, advice, buttons: offered }: Question): SlackMessage {
  return message(
    paragraph(advice === undefined ? news : mrkdwn`${news} ${advice}`),
    ...quoted(words),
    ...(offered.length === 0 ? [] : [buttonRow(...offered)]),
  );
}

/** What remains of it when that is decided. */
export function decidedBlocks({ news, words }: Question): [KnownBlock, ...KnownBlock[]] {
  return [paragraph(news), ...quoted(words)];
}

function quoted(words: string | undefined): KnownBlock[] {
  return words === undefined || words === '' ? [] : [quotation(shown(words, REFUSAL_MAX))];
}

/**
 * *Start again*, good for this ending only: pressed after another start, it does nothing. Of a job that was attached
 * the prompt is not known.
 */
function startAgain({ id: jobId, creates, watchedAgentJobId }: Job): Button[] {
  return watchedAgentJobId === null ? [targetButton(buttons.startAgain, { jobId, creates })] : [];
}

/** Of a failed job, the request may also be edited first. */
function startAgainOrEdit(job: Job): Button[] {
  const again = startAgain(job);
  return again.length === 0 ? [] : [...again, editAndStart(job)];
}

function editAndStart({ id: jobId, creates }: Job): Button {
  return targetButton(buttons.editAndStart, { jobId, creates });
}

function rejectedReplies(rejected: Extract<Announcement, { kind: 'message_rejected' }>, job: Job): Question {
  const { callId, count, message: reason, action, refusedBy = 'agent' } = rejected;
  const { id: jobId, creates, watchedAgentJobId } = job;
  const who = authors(rejected);
  const { byAgent, byProgram, jobGone, adviceIfJobGone, adviceIfNotAccepted } = decisions.notSent;
  if (action === 'start_again' && watchedAgentJobId === null) {
    const target = { jobId, creates, callId };
    const offered = [targetButton(buttons.startAgain, target)];
    return { news: jobGone(who, count), words: reason, advice: adviceIfJobGone, buttons: offered };
  }
  if (action === 'edit_and_start') {
    const offered = [editAndStart(job)];
    return { news: byProgram(who, count, reason), advice: adviceIfNotAccepted, buttons: offered };
  }
  const offered = [targetButton(buttons.sendAgain, { jobId, callId })];
  return refusedBy === 'program'
    ? { news: byProgram(who, count, reason), buttons: offered }
    : { news: byAgent(who, count, reason !== ''), words: reason, buttons: offered };
}

/** Those of the replies; unknown if an older version wrote the announcement. */
function authors({ authorIds = [] }: { readonly authorIds?: readonly string[] }): Mrkdwn {
  return addressing(authorIds);
}

/** After an end without a pull request: somebody may know what is missing. */
export function followUpButton({ id: jobId }: Job): KnownBlock {
  return actionButton(buttons.followUp, { jobId });
}

/**
 * The one thing to do about a job as it is now, which for a failed one is to start it again, edited or not: also what was
 * offered in the thread, where Slack may have refused it.
 */
export function cardActions(job: Job, { sendNow, undecided }: Queue): Button[] {
  const { id: jobId, stage, agentJob } = job;
  if (stage.kind === 'create_unknown') {
    return [targetButton(buttons.resolveStart, { jobId, callId: stage.callId })];
  }
  if (stage.kind === 'rejected') return [editAndStart(job)];
  if (stage.kind === 'ended' && stage.status === 'failed') return startAgainOrEdit(job);
  if (mayStartAgain(job)) return startAgain(job);
  if (isUnwatched(job) && stage.kind === 'working' && stage.question !== undefined) {
    return [targetButton(buttons.resumeWatching, { jobId, question: stage.question.number })];
  }
  if (undecided !== null) {
    const asks = undecided.mayBeThere ? confirmations.sendAgain : undefined;
    return [targetButton(buttons.sendAgain, { jobId, callId: undecided.callId }, asks)];
  }
  if (sendNow !== null) return [targetButton(buttons.sendNow, { jobId, message: sendNow })];
  const isPlainEnd = stage.kind === 'ended' && stage.status === 'completed' && !agentJob?.prLink;
  return isPlainEnd ? [targetButton(buttons.followUp, { jobId })] : [];
}
