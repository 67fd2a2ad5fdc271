import type { Button, KnownBlock } from '@slack/types';
import type { Announcement } from '../../../jobs/announcement.ts';
import type { Queue } from '../../../jobs/follow-ups/follow-up-queue.ts';
import { isUnwatched, type Job, mayStartAgain, requestersOf, responsibleFor } from '../../../jobs/job.ts';
import type { CodeHostSite } from '../../../jobs/pull-requests/link.ts';
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
} from '../parts/message.ts';
import { addressing, type Mrkdwn, mrkdwn } from '../parts/mrkdwn.ts';
import { shortPullRequestLink } from '../parts/pull-request.ts';
import { shown } from '../parts/untrusted.ts';
import { decisions } from '../texts/thread/decisions.ts';

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
      const { news, advice, adviceWithoutButton } = decisions.failed;
      const buttons = startAgain(job);
      return { news: news(responsible), advice: buttons.length > 0 ? advice : adviceWithoutButton, buttons };
    }
    case 'vanished':
      return { news: decisions.gone.news(responsible), buttons: startAgain(job) };
    case 'create_rejected':
      return {
        news: decisions.notAccepted.news(responsible, announcement.message !== ''),
        words: announcement.message,
        buttons: [targetButton(buttons.editAndStart, { jobId, creates: job.creates })],
      };
    case 'create_unknown': {
      const { news, advice } = decisions.startUnclear;
      const target = { jobId, callId: announcement.callId };
      const offered = [targetButton(buttons.startAgain, target), targetButton(buttons.watchAgentJob, target)];
      return { news: news(responsible), advice, buttons: offered };
    }
    case 'message_rejected':
      return rejectedReplies(announcement, job);
    case 'message_unknown': {
      const { callId, count } = announcement;
      const { news, advice } = decisions.sendUnclear;
      const button = targetButton(buttons.sendAgain, { jobId, callId });
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
      const { reminderId, url, afterMs } = announcement;
      const target = { jobId, reminderId };
      const after = afterMs === undefined ? null : fullDuration(afterMs);
      return {
        news: decisions.stillOpen.news(
          addressing(requestersOf(job)),
          after,
          shortPullRequestLink(url, sites),
        ),
        buttons: [targetButton(buttons.remindAgain, target), targetButton(buttons.noMoreReminders, target)],
      };
    }
  }
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
  return words === undefined || words === '' ? [] : [quotation(`“${shown(words, REFUSAL_MAX)}”`)];
}

/**
 * *Start again*, good for this ending only: pressed after another start, it does nothing. Of a job that was attached
 * the prompt is not known.
 */
function startAgain({ id: jobId, creates, watchedAgentJobId }: Job): Button[] {
  return watchedAgentJobId === null ? [targetButton(buttons.startAgain, { jobId, creates })] : [];
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
    const offered = [targetButton(buttons.editAndStart, { jobId, creates })];
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
 * What can be done about a job as it is now, the most important first: also what was offered in the thread, where Slack
 * may have refused it.
 */
export function cardActions(job: Job, { sendNow, undecided }: Queue): Button[] {
  const { id: jobId, stage, creates, agentJob } = job;
  const actions: Button[] = [];
  if (stage.kind === 'create_unknown') {
    const target = { jobId, callId: stage.callId };
    actions.push(targetButton(buttons.startAgain, target));
  }
  if (stage.kind === 'rejected') actions.push(targetButton(buttons.editAndStart, { jobId, creates }));
  else if (mayStartAgain(job)) actions.push(targetButton(buttons.startAgain, { jobId, creates }));
  if (isUnwatched(job) && stage.kind === 'working' && stage.question !== undefined) {
    const target = { jobId, question: stage.question.number };
    actions.push(targetButton(buttons.resumeWatching, target));
  }
  if (undecided !== null) {
    actions.push(targetButton(buttons.sendAgain, { jobId, callId: undecided.callId }));
  }
  if (sendNow !== null) {
    actions.push(targetButton(buttons.sendNow, { jobId, message: sendNow }));
  }
  if (stage.kind === 'ended' && stage.status === 'completed' && !agentJob?.prLink) {
    actions.push(targetButton(buttons.followUp, { jobId }));
  }
  return actions;
}
