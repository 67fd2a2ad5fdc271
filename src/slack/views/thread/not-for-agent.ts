import type { Button } from '@slack/types';
import type { EphemeralNotice, KeptReply } from '../../../jobs/call.ts';
import { type Job, workingSince } from '../../../jobs/job.ts';
import { messageOfJob } from '../list.ts';
import { buttons } from '../parts/buttons.ts';
import {
  actionButton,
  buttonRow,
  linkButton,
  message,
  paragraph,
  type SlackMessage,
  say,
  targetButton,
} from '../parts/message.ts';
import { ago, duration, mrkdwn } from '../parts/mrkdwn.ts';
import type { Sites } from '../parts/pull-request.ts';
import { stateLine } from '../parts/state.ts';
import { type Names, oneLine, promptTitle, quotedPrompt } from '../parts/untrusted.ts';

/** A button holds 75 characters. */
const SAID_MAX = 40;
const NO_NAMES: Names = new Map();
const cannotStop = paragraph(mrkdwn`*I can't stop the agent: it has no way to be stopped.*`);

/** The person's latest running request, and its thread's URL, if known. */
export interface Running {
  readonly job: Job;
  readonly permalink: string | null;
  readonly names: Names;
}

/** For a person who wants to stop the agent, where requests are made. */
export function cannotStopView(running: Running | null): SlackMessage {
  if (running === null) return say`Nothing of yours is running.`;
  const { job, permalink, names } = running;
  const title = promptTitle(job.prompt, names);
  const view = message(
    cannotStop,
    paragraph(mrkdwn`Your latest running request: ${title} · ${ago(job.requestedAtMs)}`),
    buttonRow(muteButton(job, true), linkButton(buttons.openThread, permalink)),
  );
  return messageOfJob(job, names, view);
}

/** For a person who asks about progress, where requests are made. */
export function stillWorkingView(running: Running | null, nowMs: number): SlackMessage {
  if (running === null) return say`Nothing of yours is running.`;
  const { job, permalink, names } = running;
  const view = message(
    paragraph(mrkdwn`${stillWorking(job, nowMs)}: ${promptTitle(job.prompt, names)}`),
    buttonRow(linkButton(buttons.openThread, permalink)),
  );
  return messageOfJob(job, names, view);
}

/** For the author of a reply that stays between people: why, and a button that sends it. */
export function keptReplyView(
  { kind, messageTs, said = '' }: Omit<EphemeralNotice, 'kind'> & { readonly kind: KeptReply },
  job: Job,
  { nowMs, sites }: { readonly nowMs: number; readonly sites?: Sites | undefined },
): SlackMessage {
  const target = { jobId: job.id, messageTs };
  // The agent works, or is about to.
  const isRunning = ['opening', 'creating', 'working'].includes(job.stage.kind);
  switch (kind) {
    case 'kept_thanks':
      return message(
        paragraph(mrkdwn`*Kept between people: it looks like a thank-you.*`),
        actionButton(buttons.sendAnyway, target),
      );
    case 'cannot_stop': {
      const label = `Send ${quotedPrompt(oneLine(said, SAID_MAX), NO_NAMES, SAID_MAX)} to the agent`;
      const send = targetButton({ ...buttons.sendAnyway, label }, target);
      if (!isRunning) {
        return message(paragraph(mrkdwn`Nothing is running in this thread.`), buttonRow(send));
      }
      return message(
        cannotStop,
        paragraph(mrkdwn`${promptTitle(job.prompt, NO_NAMES)} · ${ago(job.requestedAtMs)}`),
        buttonRow(muteButton(job, false), send),
      );
    }
    case 'still_working':
      return withSendButton(
        isRunning
          ? say`${stillWorking(job, nowMs)}. The agent can't answer questions; I'll post the pull request here.`
          : say`${stateLine(job, sites)}`,
        target,
      );
  }
}

/** Answers a command that was written as a reply. */
export function withSendButton(
  { blocks }: SlackMessage,
  target: { readonly jobId: string; readonly messageTs: string },
): SlackMessage {
  return message(blocks, actionButton({ ...buttons.sendAnyway, label: 'Send to the agent' }, target));
}

export const mutedNowView = say`🔇 *Muted.* Replies stay between people until \`unmute\`.`;

function stillWorking({ stage, requestedAtMs }: Job, nowMs: number) {
  const sinceMs = stage.kind === 'working' ? workingSince(stage) : requestedAtMs;
  return mrkdwn`*Still working*, ${duration(nowMs - sinceMs)} so far`;
}

function muteButton({ id: jobId, muted, threadTs }: Job, isPrivate: boolean): Button | null {
  if (muted || threadTs === null) return null;
  return targetButton(buttons.muteUpdates, { jobId, ...(isPrivate && { isPrivate }) });
}
