import type { Button, KnownBlock } from '@slack/types';
import type { EphemeralNotice, KeptCommand } from '../../../jobs/call.ts';
import type { Job } from '../../../jobs/job.ts';
import { CHANNEL_IS_SHARED, classOf, isNotInChannel, NOT_SEEN } from '../../protocol/error-codes.ts';
import { messageOfJob } from '../list.ts';
import { buttons } from '../parts/buttons.ts';
import {
  actionButton,
  type Blocks,
  buttonRow,
  message,
  paragraph,
  quotation,
  type SlackMessage,
  say,
  targetButton,
  withoutAccessory,
} from '../parts/message.ts';
import { channelMention, isDirectMessage, type Mrkdwn, mrkdwn } from '../parts/mrkdwn.ts';
import { cutEscaped, type Names, oneLine, shownPrompt } from '../parts/untrusted.ts';
import { invite, whyNotAllowed } from '../refusals.ts';
import { keptReplyView } from './not-for-agent.ts';

/** Long enough to copy the prompt and send it again, if a section holds it. */
const PROMPT_MAX = 2500;
const UNPOSTED_MAX = 2500;

/**
 * Tells the requester, privately, why there is no card, and so no job; offers *Start*.
 * @param reason Slack's error code
 */
export function requesterView(reason: string, job: Job, names: Names): SlackMessage {
  const action = !isBetweenPeople(reason, job) && buttonRow(tryAgainButton(job));
  return messageOfJob(job, names, withPrompt(whyNoCard(reason, job), job.prompt, names, action));
}

const button = mrkdwn`*${buttons.tryAgain.label}*`;

function whyNoCard(reason: string, job: Job): Mrkdwn {
  if (isBetweenPeople(reason, job)) {
    return mrkdwn`I can't join a direct message between two people. Use a channel, or write to me directly.`;
  }
  if (isNotInChannel(reason)) {
    return mrkdwn`I'm not in this channel yet. Type \`${invite}\`, then press ${button}. Your request is saved.`;
  }
  if (reason === NOT_SEEN) {
    return mrkdwn`I can't tell whether the card for your request was posted. If you find one, ignore it: ${button} posts another.`;
  }
  if (reason === CHANNEL_IS_SHARED) return whyNotAllowed('shared_channel');
  if (reason === 'is_archived') return mrkdwn`This channel is archived. Ask in another one.`;
  if (reason.startsWith('restricted_action')) {
    return mrkdwn`I'm not allowed to post in this channel. Ask in another one, or ask an administrator.`;
  }
  return mrkdwn`Slack didn't accept my message (${oneLine(reason)}). Ask an administrator, then press ${button}. Your request is saved.`;
}

export function tryAgainButton({ id: jobId, cards }: Job): Button {
  return targetButton(buttons.tryAgain, { jobId, cards });
}

/** No bot can be invited to a direct message of two people. */
export function isBetweenPeople(reason: string, { channelId }: Job): boolean {
  return isNotInChannel(reason) && isDirectMessage(channelId);
}

export const tryingAgainView = say`🚀 *Starting.* The card is about to appear.`;

/** Tells the requester, privately, what the request waits for: an administrator, an invitation, or Slack. */
export function delayedView(
  reason: string,
  { channelId, prompt }: Pick<Job, 'channelId' | 'prompt'>,
  names: Names,
): SlackMessage {
  return withPrompt(whyDelayed(reason, channelId), prompt, names);
}

function whyDelayed(reason: string, channelId: string): Mrkdwn {
  if (isNotInChannel(reason)) {
    return mrkdwn`I'm not in ${channelMention(channelId)} yet. Type \`${invite}\`, and your request starts by itself.`;
  }
  if (reason === NOT_SEEN) {
    return mrkdwn`⏳ *Waiting for Slack* · I can't tell yet whether the card for your request was posted. Your request is saved and continues automatically.`;
  }
  const code = oneLine(reason);
  return classOf(reason) === 'admin'
    ? mrkdwn`⚠️ *Waiting for an administrator* · Slack doesn't let me post (${code}). Your request is saved and continues once it's fixed.`
    : mrkdwn`⏳ *Waiting for Slack* · It isn't accepting my messages right now (${code}). Your request is saved and continues automatically.`;
}

/** Tells the requester, privately, what Slack did not allow in the thread. */
export function unpostedView(reason: string, post: SlackMessage): SlackMessage {
  const news =
    reason === NOT_SEEN
      ? mrkdwn`I can't tell whether this was posted in the thread:`
      : mrkdwn`I couldn't post this in the thread, or couldn't confirm that it's there (${oneLine(reason)}):`;
  return withPost(news, post);
}

/** The same, if the thread gets it once the bot has access again. */
export function keptView(reason: string, { channelId }: Job, post: SlackMessage): SlackMessage {
  const why = closedPlace(reason, channelId);
  return withPost(mrkdwn`⏳ ${why} I'll post this in the thread once I can, for up to a week:`, post);
}

/**
 * Tells the requester what the thread must not show, now that its channel is shared with another
 * organisation.
 */
export function movedView(channelId: string, { blocks }: SlackMessage): SlackMessage {
  const news = mrkdwn`🔒 ${channelMention(channelId)} is shared with another organisation now. Updates on your job come to you here:`;
  return message(paragraph(news), blocks.map(withLinksOnly));
}

/** Other buttons count only in the thread's own channel. */
function withLinksOnly(block: KnownBlock): Blocks {
  if (block.type !== 'actions') return withoutAccessory(block);
  const links = block.elements.filter((element) => element.type === 'button' && element.url !== undefined);
  return links.length > 0 && { ...block, elements: links };
}

/** Why the bot cannot post in a channel, and how to change that. */
export function closedPlace(reason: string, channelId: string): Mrkdwn {
  const channel = channelMention(channelId);
  if (isNotInChannel(reason)) return mrkdwn`I'm no longer in ${channel}. Type \`${invite}\` there.`;
  if (reason === CHANNEL_IS_SHARED) return mrkdwn`${channel} is shared with another organisation.`;
  return reason.endsWith('is_archived')
    ? mrkdwn`${channel} is archived.`
    : mrkdwn`I'm not allowed to post in ${channel}.`;
}

function withPost(news: Mrkdwn, { text }: SlackMessage): SlackMessage {
  return message(paragraph(news), paragraph({ mrkdwn: cutEscaped(text, UNPOSTED_MAX) }));
}

function withPrompt(news: Mrkdwn, prompt: string, names: Names, action?: Blocks): SlackMessage {
  return message(paragraph(news), quotation(shownPrompt(prompt, names, PROMPT_MAX)), action);
}

/** A message in a job's thread that only one person sees. */
export function ephemeralView(
  notice: Omit<EphemeralNotice, 'kind'> & { readonly kind: Exclude<EphemeralNotice['kind'], KeptCommand> },
  job: Job,
  at: Parameters<typeof keptReplyView>[2],
): SlackMessage {
  const { kind, messageTs } = notice;
  const what = messageTs === job.requestTs ? 'request' : 'reply';
  const view = () => {
    switch (kind) {
      case 'edited_after_sending':
        return message(
          paragraph(mrkdwn`✏️ You edited a ${what} that was already sent.`),
          actionButton(buttons.sendCorrection, { jobId: job.id, messageTs }),
        );
      case 'deleted_after_sending':
        return say`🗑️ You deleted a ${what} that was already sent: the agent still has it. A new reply can correct that.`;
      default:
        return keptReplyView({ ...notice, kind }, job, at);
    }
  };
  return messageOfJob(job, new Map(), view());
}

export const correctionSentView = say`✏️ The correction is on its way to the agent.`;

export const sentAnywayView = say`👀 On its way to the agent.`;
