import type { Button, KnownBlock } from '@slack/types';
import type { Announcement } from '../../../jobs/announcement.ts';
import type { Queue } from '../../../jobs/follow-ups/follow-up-queue.ts';
import { isUnwatched, type Job, mayStartAgain, requestersOf, responsibleFor } from '../../../jobs/job.ts';
import type { OfferDeed, WatchedElsewhere } from '../../../jobs/offer.ts';
import type { CodeHostSite } from '../../../jobs/pull-requests/link.ts';
import { seenPullRequest } from '../../../jobs/pull-requests/pull-request.ts';
import { standingOf } from '../../../jobs/pull-requests/standing.ts';
import { messageOfJob } from '../list.ts';
import { buttons, type Confirmation } from '../parts/buttons.ts';
import {
  actionButton,
  buttonRow,
  heading,
  message,
  paragraph,
  quotation,
  type SlackMessage,
  smallQuotation,
  targetButton,
  untrustedParagraph,
  viewPullRequestButton,
} from '../parts/message.ts';
import { addressing, duration, fullDuration, type Mrkdwn, mrkdwn, ownLink } from '../parts/mrkdwn.ts';
import { httpUrl, pullRequest, pullRequestTexts, shortPullRequestLink } from '../parts/pull-request.ts';
import { foot, stateLine, warnings } from '../parts/state.ts';
import { oneLine, shown, titledPrompt } from '../parts/untrusted.ts';
import { askerOf, replies } from '../parts/words.ts';

/** Asks for a person's decision: what happened, then what each button does. `who`: from `addressing`. */
const decisions = {
  failed: {
    news: (who: Mrkdwn) => mrkdwn`❌ ${who}*Failed.* The agent gave no reason.`,
    repeated: (times: number) =>
      mrkdwn`${times === 2 ? 'Twice' : `${times} times`} in a row. A shorter request that names the page often helps.`,
    adviceWithoutButton: mrkdwn`A reply may still reopen it.`,
  },
  gone: { news: (who: Mrkdwn) => mrkdwn`❌ ${who}*The agent no longer knows this job.*` },
  notAccepted: {
    news: (who: Mrkdwn, hasWords: boolean) =>
      mrkdwn`❌ ${who}*Not accepted.* ${hasWords ? 'The agent says:' : 'The agent gave no reason.'}`,
  },
  startUnclear: {
    news: (who: Mrkdwn) =>
      mrkdwn`❓ ${who}*Couldn't confirm the start.* The connection broke off in the middle, so the agent may already be working on it.`,
    advice: mrkdwn`Check for a pull request before you start again.`,
  },
  sendUnclear: {
    news: (who: Mrkdwn, count: number) =>
      mrkdwn`❓ ${who}*Couldn't confirm that ${replies(count)} ${count === 1 ? 'was' : 'were'} delivered.*`,
    advice: mrkdwn`*Send again* may give the agent the same text twice.`,
  },
  notSent: {
    byAgent: (who: Mrkdwn, count: number, hasWords: boolean) =>
      mrkdwn`⚠️ ${who}*Not sent:* the agent didn't accept ${replies(count)}. It ${hasWords ? 'says:' : 'gave no reason.'}`,
    byProgram: (who: Mrkdwn, count: number, reason: string) =>
      mrkdwn`⚠️ ${who}*Not sent:* ${replies(count)}. ${reason}`,
    jobGone: (who: Mrkdwn, count: number) =>
      mrkdwn`⚠️ ${who}*Not sent:* ${replies(count)}. The agent no longer knows this job.`,
    adviceIfNotAccepted: mrkdwn`*Edit and start* sends the new request, then the replies that weren't sent.`,
    adviceIfJobGone: mrkdwn`*Start again* sends the same request as a new job, then the replies that weren't sent.`,
  },
  stillOpen: {
    /** `lasted`: null: it was asked for. `link`: null: it may not be a link. `why`: null: unknown. */
    news: (who: Mrkdwn, lasted: string | null, link: Mrkdwn | null, why: string | null) => {
      const words = lasted === null ? 'Still open' : `Open for ${lasted}`;
      if (link === null) return mrkdwn`👋 ${who}*${words}.*`;
      return mrkdwn`👋 ${who}*${words}:* ${link}${why === null ? '' : `, ${why}`}`;
    },
    remindIn: (lasted: string) => `Remind me in ${lasted}`,
  },
  longRunning: {
    news: (who: Mrkdwn, lasted: string) => mrkdwn`⏳ ${who}*Still working after ${lasted}.*`,
    advice: mrkdwn`Keep watching? The agent continues either way.`,
  },
} as const;

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

/** The answer to an offer; null: nothing to say. `count`: its replies. */
export const outcomes: Readonly<
  Record<OfferDeed, (name: string, count: number, other?: WatchedElsewhere) => Mrkdwn | null>
> = {
  started_again: (name) => mrkdwn`${name} started it again`,
  sent_again: (name, count) => mrkdwn`${name} sent ${count === 1 ? 'it' : 'them'} again`,
  edited: (name) => mrkdwn`${name} edited the request and started it`,
  found: (name) => mrkdwn`${name} found it; I'm watching that job now`,
  watched_elsewhere: (_name, _count, other) => {
    const number = other === undefined ? '' : `#${other.number}`;
    const thread = other?.threadUrl ? ownLink(other.threadUrl, 'its thread') : mrkdwn`its thread`;
    return mrkdwn`That's ${number}, watched in ${thread}. Closed here.`;
  },
  kept_watching: (name) => mrkdwn`${name} chose to keep watching`,
  stopped_watching: (name) => mrkdwn`${name} stopped watching; the agent may still be working`,
  wants_reminder: (name) => mrkdwn`${name} wants to be reminded again`,
  wants_no_reminder: (name) => mrkdwn`${name} turned off reminders`,
  started: (name) => mrkdwn`🚀 Started by ${name}`,
  dismissed: (name) => mrkdwn`Dismissed by ${name}`,
  withdrawn: (name) => mrkdwn`Withdrawn by ${name}`,
  expired: () => mrkdwn`Expired after 7 days`,
  confirmed: () => mrkdwn`The agent confirmed it after all`,
  continued: () => mrkdwn`A reply continued it`,
  moot: () => null,
};

/** For a late press. */
export const settled = {
  as: (what: Mrkdwn) => mrkdwn`Already done: ${what}.`,
  atAnother: mrkdwn`⚠️ *That didn't arrive.* Two programs share this Slack app, and this reached the one that doesn't know the job. Try again, and tell an administrator.`,
  forgotten: mrkdwn`Already done: this job is no longer stored. Start a new one with \`/docs-agent\`.`,
  formOfOthers: mrkdwn`This form was made for somebody else or for another channel. Press the button in the thread again.`,
};

export const decisionForms = {
  edit: {
    title: 'Edit and start',
    cutOff: mrkdwn`✂️ The request is too long for this field, so the end is cut off here. To send all of it, mention me in a new message instead.`,
  },
  resolve: { title: 'Resolve the start' },
  watch: {
    title: 'Watch the job',
    submit: 'Watch',
    label: "The agent's job id",
    hint: 'As the agent shows it, for example job_123.',
    silent: mrkdwn`I can't reach the agent right now, so I couldn't check this id. Please try again in a minute.`,
  },
};

const REFUSAL_MAX = 1000;

/** The decision that a message asks for, while its buttons can still be pressed. */
interface Question {
  readonly news: Mrkdwn;
  /** The agent's or a code host's, if any; untrusted. */
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

/** An announcement that only asks for a decision. */
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
      return { news: news(addressing(announcement.authorIds), count), advice, buttons: [button] };
    }
    case 'long_running': {
      const { question, lastedMs } = announcement;
      const { news, advice } = decisions.longRunning;
      const target = { jobId, question };
      return {
        news: news(responsible, duration(lastedMs)),
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
      return {
        news: news(addressing(requestersOf(job)), lasted, link, waitsFor(job, url)),
        buttons: [
          ...(address === null ? [] : [viewPullRequestButton(address)]),
          targetButton({ ...buttons.remindAgain, label: remindIn(fullDuration(againMs)) }, target),
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

/** @param who from `addressing`; null: asked in the form for *I found the job…* */
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

export function askingView({ news, words, advice, buttons: offered }: Question): SlackMessage {
  return message(
    paragraph(advice === undefined ? news : mrkdwn`${news} ${advice}`),
    ...quoted(words),
    ...(offered.length === 0 ? [] : [buttonRow(...offered)]),
  );
}

/** What remains of it after the decision. */
export function decidedBlocks({ news, words }: Question): [KnownBlock, ...KnownBlock[]] {
  return [paragraph(news), ...quoted(words)];
}

function quoted(words: string | undefined): KnownBlock[] {
  return words === undefined || words === '' ? [] : [quotation(shown(words, REFUSAL_MAX))];
}

/**
 * *Start again*, valid for this ending only: after another start, it does nothing. For an attached job, the
 * prompt is unknown.
 */
function startAgain({ id: jobId, creates, watchedAgentJobId }: Job): Button[] {
  return watchedAgentJobId === null ? [targetButton(buttons.startAgain, { jobId, creates })] : [];
}

/** A failed job's request may also be edited first. */
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
  const who = addressing(rejected.authorIds);
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

/** After an end without a pull request: somebody may know what is missing. */
export function followUpButton({ id: jobId }: Job): KnownBlock {
  return actionButton(buttons.followUp, { jobId });
}

/**
 * The one action for a job in its current state; for a failed one, to start it again, edited or not. It
 * repeats the thread's offer, which Slack may have refused.
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

const FACT_MAX = 100;

export interface CardFacts {
  /** Replies without an outcome. */
  readonly queue: Queue;
  /** Slack ids to names, for the requester, the person who dismissed it, and mentions in the prompt. */
  readonly names: ReadonlyMap<string, string>;
  /** For short names of pull requests. Default: the public sites. */
  readonly sites?: readonly CodeHostSite[];
}

/** The root of a job's thread: the request, its state, and what can be done. */
export function cardView(job: Job, { queue, names, sites }: CardFacts): SlackMessage {
  const { title, rest } = titledPrompt(job.prompt, names);
  const warning = warningOf(job, queue);
  const state = stateLine(job, sites, names);
  const view = message(
    heading(title),
    ...(rest === null ? [] : [untrustedParagraph(rest)]),
    paragraph(warning === null ? state : mrkdwn`${state}\n${warning}`),
    ...row(job, queue),
    footLine(job, names),
  );
  return messageOfJob(job, names, view);
}

/** The most pressing fact about the replies. */
function warningOf({ trouble, muted }: Job, { waiting, untilMs, undecided }: Queue): Mrkdwn | null {
  if (undecided !== null) return warnings.undelivered(undecided.count);
  if (waiting > 0) {
    const isForAdmin = trouble?.source === 'send' && trouble.kind === 'needs_admin';
    return isForAdmin ? warnings.waitingForAdmin(waiting) : warnings.waiting(waiting, untilMs);
  }
  return muted ? warnings.muted : null;
}

/** The pull request, the main action, and the menu. */
function row(job: Job, queue: Queue): KnownBlock[] {
  const beside = [...cardActions(job, queue), targetButton(buttons.details, { jobId: job.id })];
  // While a later turn runs, the API hides the previous one's link.
  const isAtWork = job.stage.kind === 'working';
  const prLink = job.agentJob?.prLink ?? (isAtWork ? job.announcedPrLink : null);
  return prLink ? pullRequest(prLink, { style: 'primary', beside }) : [buttonRow(...beside)];
}

function footLine(job: Job, names: ReadonlyMap<string, string>): KnownBlock {
  const { number, agentJob, context, snippets, inlined } = job;
  const asker = askerOf(job, names);
  const project = oneLine(job.projectName, FACT_MAX);
  const repository = agentJob?.repository;
  return smallQuotation(
    ...(number > 0 ? [foot.number(number)] : []),
    ...(asker === null ? [] : [foot.askedBy(oneLine(asker, FACT_MAX))]),
    repository ? foot.place(project, oneLine(repository, FACT_MAX)) : project,
    ...(context === '' ? [] : [foot.thread]),
    ...(snippets.length > 0 || inlined !== '' ? [foot.snippets] : []),
  );
}
