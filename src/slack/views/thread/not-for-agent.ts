import type { Button } from '@slack/types';
import type { EphemeralNotice, KeptReply } from '../../../jobs/call.ts';
import { type Job, workingSince } from '../../../jobs/job.ts';
import type { CodeHostSite } from '../../../jobs/pull-requests/link.ts';
import type { CommandName } from '../../../jobs/requests/command.ts';
import { messageOfJob } from '../list.ts';
import { buttons } from '../parts/buttons.ts';
import {
  actionButton,
  buttonRow,
  message,
  openThreadButton,
  paragraph,
  type SlackMessage,
  say,
  targetButton,
} from '../parts/message.ts';
import { ago, duration, type Mrkdwn, mrkdwn } from '../parts/mrkdwn.ts';
import { httpUrl } from '../parts/pull-request.ts';
import { stateLine } from '../parts/state.ts';
import { oneLine, promptTitle, quotedPrompt } from '../parts/untrusted.ts';

/** A started job cannot be stopped, so these questions are asked privately, before anything is public. */
export const questions = {
  sure: (quoted: string): Mrkdwn =>
    mrkdwn`*Send ${quoted} to the agent as a new request?* Once it starts, it can't be cancelled.`,
  nearCommand: (command: CommandName): Mrkdwn => mrkdwn`*Did you mean* \`/docs-agent ${typed[command]}\`?`,
  noSuchJob: (quotedWord: string, quoted: string): Mrkdwn =>
    mrkdwn`No job ${quotedWord}. *Send ${quoted} to the agent as a new request?*`,
  /** @param before as in "40 seconds ago" */
  ago: {
    unknown: 'a moment ago',
    now: 'just now',
    seconds: (seconds: number) => (seconds === 1 ? '1 second ago' : `${seconds} seconds ago`),
  },
  sameRequest: (before: string): Mrkdwn => mrkdwn`*You asked for this ${before}.*`,
  starting: mrkdwn`🚀 *Starting.* The card is about to appear.`,
  settled: mrkdwn`Already done: the job has started.`,
  question: mrkdwn`*That looks like a question.* I change documentation; I can't answer.`,
  askForThis: 'Ask for this change',
  help: 'Help',
  cannotStop: mrkdwn`*I can't stop the agent: it has no way to be stopped.*`,
  latestRunning: (title: string, sinceMs: number): Mrkdwn =>
    mrkdwn`Your latest running request: ${title} · ${ago(sinceMs)}`,
  running: (title: string, sinceMs: number): Mrkdwn => mrkdwn`${title} · ${ago(sinceMs)}`,
  nothingRuns: mrkdwn`Nothing of yours is running.`,
  nothingRunsHere: mrkdwn`Nothing is running in this thread.`,
  stillWorking: (forMs: number): Mrkdwn => mrkdwn`*Still working*, ${duration(forMs)} so far`,
  cannotAnswer: mrkdwn`The agent can't answer questions; I'll post the pull request here.`,
  /** In a job's thread. */
  keptThanks: mrkdwn`*Kept between people: it looks like a thank-you.*`,
  sendToAgent: 'Send to the agent',
  sendQuoted: (quoted: string) => `Send ${quoted} to the agent`,
  muted: mrkdwn`🔇 *Muted.* Replies stay between people until \`unmute\`.`,
  sentAnyway: mrkdwn`👀 On its way to the agent.`,
  edited: (what: 'request' | 'reply'): Mrkdwn => mrkdwn`✏️ You edited a ${what} that was already sent.`,
  deleted: (what: 'request' | 'reply'): Mrkdwn =>
    mrkdwn`🗑️ You deleted a ${what} that was already sent: the agent still has it. A new reply can correct that.`,
  correctionSent: mrkdwn`✏️ The correction is on its way to the agent.`,
} as const;

/** How each command is typed. */
const typed: Readonly<Record<CommandName, string>> = {
  help: 'help',
  list: 'list',
  status: 'status',
  watch: 'watch job_123',
  settings: 'settings',
  doctor: 'doctor',
  report: 'report',
  recipes: 'recipes',
};

/** A button holds 75 characters. */
const SAID_MAX = 40;
const NO_NAMES: ReadonlyMap<string, string> = new Map();

/** The person's latest running request, and its thread's URL, if known. */
export interface Running {
  readonly job: Job;
  readonly permalink: string | null;
  /** Slack ids to names, for the mentions in its prompt. */
  readonly names: ReadonlyMap<string, string>;
}

/** For a person who wants to stop the agent, where requests are made. */
export function cannotStopView(running: Running | null): SlackMessage {
  if (running === null) return say(questions.nothingRuns);
  const { job, permalink, names } = running;
  const title = promptTitle(job.prompt, names);
  const row = [...muteButton(job, true), ...openThread(permalink)];
  const view = message(
    paragraph(questions.cannotStop),
    paragraph(questions.latestRunning(title, job.requestedAtMs)),
    ...(row.length === 0 ? [] : [buttonRow(...row)]),
  );
  return messageOfJob(job, names, view);
}

/** For a person who asks about progress, where requests are made. */
export function stillWorkingView(running: Running | null, nowMs: number): SlackMessage {
  if (running === null) return say(questions.nothingRuns);
  const { job, permalink, names } = running;
  const row = openThread(permalink);
  const view = message(
    paragraph(mrkdwn`${questions.stillWorking(workedForMs(job, nowMs))}: ${promptTitle(job.prompt, names)}`),
    ...(row.length === 0 ? [] : [buttonRow(...row)]),
  );
  return messageOfJob(job, names, view);
}

/** For the author of a reply that stays between people: why, and a button that sends it. */
export function keptReplyView(
  { kind, messageTs, said = '' }: Omit<EphemeralNotice, 'kind'> & { readonly kind: KeptReply },
  job: Job,
  { nowMs, sites }: { readonly nowMs: number; readonly sites?: readonly CodeHostSite[] | undefined },
): SlackMessage {
  const target = { jobId: job.id, messageTs };
  switch (kind) {
    case 'kept_thanks':
      return message(paragraph(questions.keptThanks), actionButton(buttons.sendAnyway, target));
    case 'cannot_stop': {
      const label = questions.sendQuoted(quotedPrompt(oneLine(said, SAID_MAX), NO_NAMES, SAID_MAX));
      const send = targetButton({ ...buttons.sendAnyway, label }, target);
      if (!isRunning(job)) return message(paragraph(questions.nothingRunsHere), buttonRow(send));
      return message(
        paragraph(questions.cannotStop),
        paragraph(questions.running(promptTitle(job.prompt, NO_NAMES), job.requestedAtMs)),
        buttonRow(...muteButton(job, false), send),
      );
    }
    case 'still_working':
      return withSendButton(
        isRunning(job)
          ? message(
              paragraph(
                mrkdwn`${questions.stillWorking(workedForMs(job, nowMs))}. ${questions.cannotAnswer}`,
              ),
            )
          : say(stateLine(job, sites)),
        target,
      );
  }
}

/** Answers a command that was written as a reply. */
export function withSendButton(
  { blocks: [first, ...rest] }: SlackMessage,
  target: { readonly jobId: string; readonly messageTs: string },
): SlackMessage {
  const send = actionButton({ ...buttons.sendAnyway, label: questions.sendToAgent }, target);
  return first === undefined ? message(send) : message(first, ...rest, send);
}

/** Replaces the question once it was pressed. */
export const mutedNowView = say(questions.muted);

/** The agent works, or is about to. */
function isRunning({ stage }: Job): boolean {
  return stage.kind === 'opening' || stage.kind === 'creating' || stage.kind === 'working';
}

function workedForMs({ stage, requestedAtMs }: Job, nowMs: number): number {
  return nowMs - (stage.kind === 'working' ? workingSince(stage) : requestedAtMs);
}

function muteButton({ id: jobId, muted, threadTs }: Job, isPrivate: boolean): Button[] {
  if (muted || threadTs === null) return [];
  return [targetButton(buttons.muteUpdates, { jobId, ...(isPrivate && { isPrivate }) })];
}

function openThread(permalink: string | null): Button[] {
  const url = permalink === null ? null : httpUrl(permalink);
  return url === null ? [] : [openThreadButton(url)];
}
