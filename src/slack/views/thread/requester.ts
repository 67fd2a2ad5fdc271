import type { Button, KnownBlock } from '@slack/types';
import type { EphemeralNotice, KeptCommand } from '../../../jobs/call.ts';
import type { Job } from '../../../jobs/job.ts';
import { CHANNEL_IS_SHARED, classOf, isNotInChannel, NOT_SEEN } from '../../protocol/error-codes.ts';
import { messageOfJob } from '../list.ts';
import { buttons } from '../parts/buttons.ts';
import {
  actionButton,
  buttonRow,
  message,
  paragraph,
  quotation,
  type SlackMessage,
  say,
  targetButton,
} from '../parts/message.ts';
import { channelMention, isDirectMessage, type Mrkdwn } from '../parts/mrkdwn.ts';
import { cutEscaped, oneLine, shownPrompt } from '../parts/untrusted.ts';
import { threadTexts } from '../parts/words.ts';
import { closedPlaces, delayed, notAllowed, unposted } from '../refusals.ts';
import { keptReplyView, questions } from './not-for-agent.ts';

/** Long enough to copy the prompt and send it again, if a section holds it. */
const PROMPT_MAX = 2500;
const REASON_MAX = 100;
const UNPOSTED_MAX = 2500;

/**
 * Tells the requester, privately, why there is no card, and so no job; offers *Start*.
 * @param reason Slack's error code
 * @param names Slack ids to names, for the mentions in the prompt
 */
export function requesterView(reason: string, job: Job, names: ReadonlyMap<string, string>): SlackMessage {
  const actions = isBetweenPeople(reason, job) ? [] : [buttonRow(tryAgainButton(job))];
  return messageOfJob(job, names, withPrompt(explanation(reason, job), job.prompt, names, ...actions));
}

/** After Slack refused the card. */
export function tryAgainButton({ id: jobId, cards }: Job): Button {
  return targetButton(buttons.tryAgain, { jobId, cards });
}

/** No bot can be invited to a direct message of two people. */
export function isBetweenPeople(reason: string, { channelId }: Job): boolean {
  return isNotInChannel(reason) && isDirectMessage(channelId);
}

/** Replaces it once it was pressed. */
export const tryingAgainView = say(questions.starting);

/** Tells the requester, privately, what the request waits for: an administrator, an invitation, or Slack. */
export function delayedView(
  reason: string,
  { channelId, prompt }: Pick<Job, 'channelId' | 'prompt'>,
  names: ReadonlyMap<string, string>,
): SlackMessage {
  return withPrompt(delay(reason, channelId), prompt, names);
}

function delay(reason: string, channelId: string): Mrkdwn {
  if (isNotInChannel(reason)) return delayed.notInChannel(channelMention(channelId));
  if (reason === NOT_SEEN) return delayed.notSeen;
  const code = oneLine(reason, REASON_MAX);
  return classOf(reason) === 'admin' ? delayed.needsAdmin(code) : delayed.other(code);
}

/** Tells the requester, privately, what Slack did not allow in the thread. */
export function unpostedView(reason: string, post: SlackMessage): SlackMessage {
  const news = reason === NOT_SEEN ? threadTexts.unseen : threadTexts.unposted(oneLine(reason, REASON_MAX));
  return withPost(news, post);
}

/** The same, if the thread gets it once the bot has access again. */
export function keptView(reason: string, { channelId }: Job, post: SlackMessage): SlackMessage {
  return withPost(threadTexts.kept(closedPlace(reason, channelId)), post);
}

/**
 * Tells the requester what the thread must not show, now that its channel is shared with another
 * organisation.
 */
export function movedView(channelId: string, { blocks }: SlackMessage): SlackMessage {
  return message(paragraph(threadTexts.moved(channelMention(channelId))), ...blocks.flatMap(withLinksOnly));
}

/** Other buttons count only in the thread's own channel. */
function withLinksOnly(block: KnownBlock): KnownBlock[] {
  if (block.type === 'section' && block.accessory !== undefined) {
    const { accessory: _accessory, ...section } = block;
    return [section];
  }
  if (block.type !== 'actions') return [block];
  const links = block.elements.filter((element) => element.type === 'button' && element.url !== undefined);
  return links.length === 0 ? [] : [{ ...block, elements: links }];
}

/** Why the bot cannot post in a channel, and how to change that. */
export function closedPlace(reason: string, channelId: string): Mrkdwn {
  const channel = channelMention(channelId);
  if (isNotInChannel(reason)) return closedPlaces.notInChannel(channel);
  if (reason === CHANNEL_IS_SHARED) return closedPlaces.shared(channel);
  return reason.endsWith('is_archived') ? closedPlaces.archived(channel) : closedPlaces.restricted(channel);
}

function withPost(news: Mrkdwn, { text }: SlackMessage): SlackMessage {
  return message(paragraph(news), paragraph({ mrkdwn: cutEscaped(text, UNPOSTED_MAX) }));
}

function withPrompt(
  news: Mrkdwn,
  prompt: string,
  names: ReadonlyMap<string, string>,
  ...actions: readonly KnownBlock[]
): SlackMessage {
  return message(paragraph(news), quotation(shownPrompt(prompt, names, PROMPT_MAX)), ...actions);
}

function explanation(reason: string, job: Job): Mrkdwn {
  if (isBetweenPeople(reason, job)) return unposted.betweenPeople;
  if (isNotInChannel(reason)) return unposted.notInChannel;
  if (reason === NOT_SEEN) return unposted.notSeen;
  if (reason === CHANNEL_IS_SHARED) return notAllowed.because(notAllowed.reasons.shared_channel);
  if (reason === 'is_archived') return unposted.archived;
  if (reason.startsWith('restricted_action')) return unposted.restricted;
  return unposted.other(oneLine(reason, REASON_MAX));
}

/** A message in a job's thread that only one person sees. */
export function ephemeralView(
  notice: Omit<EphemeralNotice, 'kind'> & { readonly kind: Exclude<EphemeralNotice['kind'], KeptCommand> },
  job: Job,
  at: Parameters<typeof keptReplyView>[2],
): SlackMessage {
  return messageOfJob(job, new Map(), noticeView(notice, job, at));
}

function noticeView(
  notice: Parameters<typeof ephemeralView>[0],
  job: Job,
  at: Parameters<typeof keptReplyView>[2],
): SlackMessage {
  const { kind, messageTs } = notice;
  const target = { jobId: job.id, messageTs };
  const what = messageTs === job.requestTs ? 'request' : 'reply';
  switch (kind) {
    case 'edited_after_sending':
      return message(paragraph(questions.edited(what)), actionButton(buttons.sendCorrection, target));
    case 'deleted_after_sending':
      return say(questions.deleted(what));
    case 'kept_thanks':
    case 'cannot_stop':
    case 'still_working':
      return keptReplyView({ ...notice, kind }, job, at);
  }
}

/** Replaces the offer once it was taken. */
export const correctionSentView = say(questions.correctionSent);

/** Likewise. */
export const sentAnywayView = say(questions.sentAnyway);
