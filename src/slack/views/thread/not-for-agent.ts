import type { Button } from '@slack/types';
import type { EphemeralNotice, KeptReply } from '../../../jobs/call.ts';
import { type Job, workingSince } from '../../../jobs/job.ts';
import type { CodeHostSite } from '../../../jobs/pull-requests/link.ts';
import { buttons } from '../parts/buttons.ts';
import { messageOfJob } from '../parts/job-line.ts';
import {
  actionButton,
  buttonRow,
  message,
  openThreadButton,
  paragraph,
  type SlackMessage,
  targetButton,
} from '../parts/message.ts';
import { mrkdwn } from '../parts/mrkdwn.ts';
import { httpUrl } from '../parts/pull-request.ts';
import { stateLine } from '../parts/state.ts';
import { oneLine, promptTitle, quotedPrompt } from '../parts/untrusted.ts';
import { questions } from '../texts/thread/questions.ts';

/** A button holds 75 characters. */
const SAID_MAX = 40;
const NO_NAMES: ReadonlyMap<string, string> = new Map();

/** The person's latest request that runs, and the address of its thread, as far as there is one. */
export interface Running {
  readonly job: Job;
  readonly permalink: string | null;
  /** Slack ids to names, for the mentions in its prompt. */
  readonly names: ReadonlyMap<string, string>;
}

/** To whoever wants to stop the agent, where requests are made. */
export function cannotStopView(running: Running | null): SlackMessage {
  if (running === null) return message(paragraph(questions.nothingRuns));
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

/** To whoever asks how far the agent is, where requests are made. */
export function stillWorkingView(running: Running | null, nowMs: number): SlackMessage {
  if (running === null) return message(paragraph(questions.nothingRuns));
  const { job, permalink, names } = running;
  const row = openThread(permalink);
  const view = message(
    paragraph(mrkdwn`${questions.stillWorking(workedForMs(job, nowMs))}: ${promptTitle(job.prompt, names)}`),
    ...(row.length === 0 ? [] : [buttonRow(...row)]),
  );
  return messageOfJob(job, names, view);
}

/** To the author of a reply that stays between people: why, and a button that sends it. */
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
          : message(paragraph(stateLine(job, sites))),
        target,
      );
  }
}

/** The answer of a command that was written as a reply. */
export function withSendButton(
  { blocks: [first, ...rest] }: SlackMessage,
  target: { readonly jobId: string; readonly messageTs: string },
): SlackMessage {
  const send = actionButton({ ...buttons.sendAnyway, label: questions.sendToAgent }, target);
  return first === undefined ? message(send) : message(first, ...rest, send);
}

/** In place of the question, when it was pressed. */
export function mutedNowView(): SlackMessage {
  return message(paragraph(questions.muted));
}

/** The agent is at work, or about to be. */
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
