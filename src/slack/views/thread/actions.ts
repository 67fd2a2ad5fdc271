import type { Button } from '@slack/types';
import type { Announcement, AnnouncementOf } from '../../../jobs/announcement.ts';
import type { Queue } from '../../../jobs/follow-ups/follow-up-queue.ts';
import { isUnwatched, type Job, mayStartAgain, requestersOf, responsibleFor } from '../../../jobs/job.ts';
import { type Standing, standingOf } from '../../../jobs/pull-requests/standing.ts';
import { messageOfJob } from '../list.ts';
import { buttons, type Confirmation } from '../parts/buttons.ts';
import {
  buttonRow,
  heading,
  linkButton,
  message,
  paragraph,
  quotation,
  type SlackMessage,
  smallQuotation,
  targetButton,
  untrustedParagraph,
} from '../parts/message.ts';
import {
  addressing,
  duration,
  fullDuration,
  joined,
  type Mrkdwn,
  moment,
  mrkdwn,
  type Parts,
  replies,
} from '../parts/mrkdwn.ts';
import { factsOfLink, pullRequest, type Sites, shortPullRequestLink } from '../parts/pull-request.ts';
import { mutedWarning, stateLine, undeliveredWarning } from '../parts/state.ts';
import { type Names, oneLine, shown, titledPrompt } from '../parts/untrusted.ts';
import { askerOf } from '../parts/words.ts';

/** Asked before something that may be running is repeated. */
export const confirmations = {
  startAgain: {
    title: 'Start it a second time?',
    text: 'The agent may already be working on this. Look for a pull request first.',
    confirm: 'Start anyway',
    deny: 'Cancel',
  },
  sendAgain: {
    title: 'Send it a second time?',
    text: 'The agent may already have this. It would get the same text twice.',
    confirm: 'Send anyway',
    deny: 'Cancel',
  },
} as const satisfies Readonly<Record<string, Confirmation>>;

const REFUSAL_MAX = 1000;

/** The decision that a message asks for: what happened, then what each button does. */
interface Question {
  readonly news: Mrkdwn;
  /** The agent's or a code host's, if any; untrusted. */
  readonly words?: string;
  readonly advice?: Mrkdwn;
  readonly buttons: Parts<Button>;
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

type Asking = AnnouncementOf<(typeof ASKING)[number]>;

export function isAsking(announcement: Announcement): announcement is Asking {
  return ASKING.some((kind) => kind === announcement.kind);
}

export function askedBy(announcement: Asking, job: Job, sites?: Sites): Question {
  const { id: jobId } = job;
  const who = addressing(responsibleFor(job));
  switch (announcement.kind) {
    case 'failed': {
      const { inARow = 1 } = announcement;
      const times = inARow === 2 ? 'Twice' : `${inARow} times`;
      const offered = startAgainOrEdit(job);
      const news = mrkdwn`❌ ${who}*Failed.* The agent gave no reason.`;
      return {
        news:
          inARow < 2
            ? news
            : mrkdwn`${news} ${times} in a row. A shorter request that names the page often helps.`,
        ...(offered === null && { advice: mrkdwn`A reply may still reopen it.` }),
        buttons: offered,
      };
    }
    case 'vanished':
      return { news: mrkdwn`❌ ${who}*The agent no longer knows this job.*`, buttons: startAgain(job) };
    case 'create_rejected': {
      const words = announcement.message;
      const why = words === '' ? 'The agent gave no reason.' : 'The agent says:';
      return { news: mrkdwn`❌ ${who}*Not accepted.* ${why}`, words, buttons: editAndStart(job) };
    }
    case 'create_unknown':
      return unclearStart(job, announcement.callId, who);
    case 'message_rejected':
      return rejectedReplies(announcement, job);
    case 'message_unknown': {
      const { callId, count, authorIds } = announcement;
      const what = mrkdwn`${replies(count)} ${count === 1 ? 'was' : 'were'} delivered`;
      return {
        news: mrkdwn`❓ ${addressing(authorIds)}*Couldn't confirm that ${what}.*`,
        advice: mrkdwn`*Send again* may give the agent the same text twice.`,
        buttons: targetButton(buttons.sendAgain, { jobId, callId }, confirmations.sendAgain),
      };
    }
    case 'long_running': {
      const target = { jobId, question: announcement.question };
      return {
        news: mrkdwn`⏳ ${who}*Still working after ${duration(announcement.lastedMs)}.*`,
        advice: mrkdwn`Keep watching? The agent continues either way.`,
        buttons: [targetButton(buttons.keepWatching, target), targetButton(buttons.stopWatching, target)],
      };
    }
    case 'reminder': {
      const { reminderId, url, afterMs, againMs } = announcement;
      const target = { jobId, reminderId };
      const words = afterMs === undefined ? 'Still open' : `Open for ${fullDuration(afterMs)}`;
      const news = mrkdwn`👋 ${addressing(requestersOf(job))}*${words}`;
      const link = shortPullRequestLink(url, sites);
      const standing = standingOf(factsOfLink(job, url));
      const why = standing !== null && WAITS_FOR[standing];
      const label = `Remind me in ${fullDuration(againMs)}`;
      return {
        news: link === null ? mrkdwn`${news}.*` : joined([mrkdwn`${news}:* ${link}`, why], ', '),
        buttons: [
          linkButton(buttons.viewPullRequest, url),
          targetButton({ ...buttons.remindAgain, label }, target),
          targetButton(buttons.noMoreReminders, target),
        ],
      };
    }
  }
}

/** Why a pull request is still open; null: it is over. */
const WAITS_FOR: Readonly<Record<Standing, string | null>> = {
  merged: null,
  closed: null,
  checks_failing: 'checks failing',
  draft: 'still a draft',
  changes_requested: 'changes requested',
  approved: 'approved, ready to merge',
  waiting_for_review: 'waiting for review',
};

/** @param who from `addressing`; null: asked in the form for *I found the job…* */
export function unclearStart({ id: jobId }: Job, callId: string, who: Mrkdwn | null): Question {
  const target = { jobId, callId };
  return {
    news: mrkdwn`❓ ${who ?? ''}*Couldn't confirm the start.* The connection broke off in the middle, so the agent may already be working on it.`,
    advice: mrkdwn`Check for a pull request before you start again.`,
    buttons: [
      targetButton(buttons.startAgain, target, confirmations.startAgain),
      who !== null && targetButton(buttons.watchAgentJob, target),
      targetButton(buttons.dismissStart, target),
    ],
  };
}

/** @param isOpen false: what remains of it after the decision */
export function askingView({ news, words, advice, buttons: offered }: Question, isOpen = true): SlackMessage {
  return message(
    paragraph(joined([news, isOpen && advice], ' ')),
    words ? quotation(shown(words, REFUSAL_MAX)) : null,
    isOpen && buttonRow(offered),
  );
}

/**
 * *Start again*, valid for this ending only: after another start, it does nothing. For an attached job, the
 * prompt is unknown.
 */
function startAgain({ id: jobId, creates, watchedAgentJobId }: Job): Button | null {
  return watchedAgentJobId === null ? targetButton(buttons.startAgain, { jobId, creates }) : null;
}

/** A failed job's request may also be edited first. */
function startAgainOrEdit(job: Job): Parts<Button> {
  const again = startAgain(job);
  return again && [again, editAndStart(job)];
}

function editAndStart({ id: jobId, creates }: Job): Button {
  return targetButton(buttons.editAndStart, { jobId, creates });
}

function rejectedReplies(rejected: AnnouncementOf<'message_rejected'>, job: Job): Question {
  const { callId, message: words, action } = rejected;
  const { id: jobId, creates, watchedAgentJobId } = job;
  const who = addressing(rejected.authorIds);
  const count = replies(rejected.count);
  if (action === 'start_again' && watchedAgentJobId === null) {
    return {
      news: mrkdwn`⚠️ ${who}*Not sent:* ${count}. The agent no longer knows this job.`,
      words,
      advice: mrkdwn`*Start again* sends the same request as a new job, then the replies that weren't sent.`,
      buttons: targetButton(buttons.startAgain, { jobId, creates, callId }),
    };
  }
  const byProgram = mrkdwn`⚠️ ${who}*Not sent:* ${count}. ${words}`;
  if (action === 'edit_and_start') {
    return {
      news: byProgram,
      advice: mrkdwn`*Edit and start* sends the new request, then the replies that weren't sent.`,
      buttons: editAndStart(job),
    };
  }
  const offered = targetButton(buttons.sendAgain, { jobId, callId });
  if (rejected.refusedBy === 'program') return { news: byProgram, buttons: offered };
  const why = words === '' ? 'gave no reason.' : 'says:';
  return {
    news: mrkdwn`⚠️ ${who}*Not sent:* the agent didn't accept ${count}. It ${why}`,
    words,
    buttons: offered,
  };
}

/**
 * The one action for a job in its current state; for a failed one, to start it again, edited or not. It
 * repeats the thread's offer, which Slack may have refused.
 */
export function cardActions(
  job: Job,
  { sendNow, undecided }: Pick<Queue, 'sendNow' | 'undecided'>,
): Parts<Button> {
  const { id: jobId, stage, agentJob } = job;
  if (stage.kind === 'create_unknown') {
    return targetButton(buttons.resolveStart, { jobId, callId: stage.callId });
  }
  if (stage.kind === 'rejected') return editAndStart(job);
  if (stage.kind === 'ended' && stage.status === 'failed') return startAgainOrEdit(job);
  if (mayStartAgain(job)) return startAgain(job);
  if (isUnwatched(job) && stage.kind === 'working' && stage.question !== undefined) {
    return targetButton(buttons.resumeWatching, { jobId, question: stage.question.number });
  }
  if (undecided !== null) {
    const asks = undecided.mayBeThere ? confirmations.sendAgain : undefined;
    return targetButton(buttons.sendAgain, { jobId, callId: undecided.callId }, asks);
  }
  if (sendNow !== null) return targetButton(buttons.sendNow, { jobId, message: sendNow });
  const isPlainEnd = stage.kind === 'ended' && stage.status === 'completed' && !agentJob?.prLink;
  return isPlainEnd && targetButton(buttons.followUp, { jobId });
}

export interface CardFacts {
  readonly queue: Queue;
  readonly names: Names;
  readonly sites?: Sites;
}

/** The root of a job's thread: the request, its state, the pull request, the main action, and the menu. */
export function cardView(job: Job, { queue, names, sites }: CardFacts): SlackMessage {
  const { agentJob, number } = job;
  const { title, rest } = titledPrompt(job.prompt, names);
  const beside = [cardActions(job, queue), targetButton(buttons.details, { jobId: job.id })];
  // While a later turn runs, the API hides the previous one's link.
  const prLink = agentJob?.prLink ?? (job.stage.kind === 'working' ? job.announcedPrLink : null);
  const asker = askerOf(job, names);
  const project = oneLine(job.projectName);
  const repository = agentJob?.repository;
  const view = message(
    heading(title),
    rest !== null && untrustedParagraph(rest),
    paragraph(joined([stateLine(job, sites, names), warningOf(job, queue)], '\n')),
    prLink ? pullRequest(prLink, beside, 'primary') : buttonRow(beside),
    smallQuotation(
      number > 0 && `#${number}`,
      asker !== null && `asked by ${oneLine(asker)}`,
      repository ? `${project} → ${oneLine(repository)}` : project,
      job.context !== '' && 'with messages from this thread',
      (job.snippets.length > 0 || job.inlined !== '') && 'with attached text',
    ),
  );
  return messageOfJob(job, names, view);
}

/** The most pressing fact about the replies. */
function warningOf({ trouble, muted }: Job, { waiting, untilMs, undecided }: Queue): Mrkdwn | null {
  if (undecided !== null) return undeliveredWarning(undecided.count);
  if (waiting === 0) return muted ? mutedWarning : null;
  const waits = mrkdwn`⏳ ${replies(waiting)} waiting`;
  if (trouble?.source === 'send' && trouble.kind === 'needs_admin') {
    return mrkdwn`${waits} for an administrator`;
  }
  return untilMs === null ? waits : mrkdwn`${waits} until ${moment(untilMs)}`;
}
