import type { Whisper } from '../../../jobs/call.ts';
import type { Job } from '../../../jobs/job.ts';
import { isNotInChannel, NOT_SEEN } from '../../protocol/absence.ts';
import { classOf } from '../../protocol/error-codes.ts';
import { actionIds } from '../../protocol/ids.ts';
import { cutEscaped } from '../parts/limits.ts';
import {
  actionButton,
  message,
  type Part,
  paragraph,
  quotation,
  type SlackMessage,
} from '../parts/message.ts';
import { isDirectMessage, type Mrkdwn, mrkdwn } from '../parts/mrkdwn.ts';
import { line } from '../parts/state.ts';
import { oneLine, quotedPrompt } from '../parts/untrusted.ts';
import { labels, signs, troubleSigns } from '../parts/words.ts';

/** So that the prompt can be copied from it and sent again, as far as a section holds it. */
const PROMPT_MAX = 2500;
const REASON_MAX = 100;
const UNPOSTED_MAX = 2500;

/**
 * Tells the requester, privately, why there is no card, and so no job; offers *Try again*.
 * @param reason Slack's error code
 * @param names Slack ids to names, for the mentions in the prompt
 */
export function requesterView(reason: string, job: Job, names: ReadonlyMap<string, string>): SlackMessage {
  const news = mrkdwn`${line(signs.notStarted)}. ${explanation(reason, job)} Nothing was started.`;
  const offers = isBetweenPeople(reason, job) ? [] : [tryAgainButton(job)];
  return withPrompt(news, job.prompt, names, ...offers);
}

/** For the requester of a job whose card Slack refused. */
export function tryAgainButton({ id: jobId, cards }: Job): Part {
  return actionButton(labels.tryAgain, actionIds.tryAgain, { jobId, cards });
}

/** A direct message of two people: no bot can be invited there. */
export function isBetweenPeople(reason: string, { channelId }: Job): boolean {
  return isNotInChannel(reason) && isDirectMessage(channelId);
}

/** In its place, when *Try again* was pressed. */
export function tryingAgainView(): SlackMessage {
  return message(paragraph(mrkdwn`🔁 *Trying again.* The card is about to appear.`));
}

/** Tells the requester, privately, what the request waits for: an administrator, an invitation, or Slack. */
export function delayedView(
  reason: string,
  prompt: string,
  names: ReadonlyMap<string, string>,
): SlackMessage {
  return withPrompt(delay(reason), prompt, names);
}

function delay(reason: string): Mrkdwn {
  const code = oneLine(reason, REASON_MAX);
  if (isNotInChannel(reason)) {
    return mrkdwn`${line(signs.starting)}. The bot is not in this conversation, and cannot see whether its card is there: type \`/invite @docs-agent\`. Your request is kept, and starts when this is mended.`;
  }
  if (reason === NOT_SEEN) {
    return mrkdwn`⏳ *Waiting for Slack*. I can't see yet whether the card of your request was posted. Your request is saved, and continues automatically.`;
  }
  if (classOf(reason) === 'admin') {
    return mrkdwn`${line(troubleSigns.needs_admin)}. Slack does not let the bot post (${code}). Your request is kept, and starts when this is mended.`;
  }
  return mrkdwn`⏳ *Waiting for Slack*. It doesn't take my messages right now (${code}). Your request is saved, and continues automatically.`;
}

/** Tells the requester, privately, what Slack did not let the bot say in the thread. */
export function unpostedView(reason: string, unposted: SlackMessage): SlackMessage {
  const news =
    reason === NOT_SEEN
      ? mrkdwn`I can't see whether this was posted in the thread:`
      : mrkdwn`I could not post this in the thread, or could not see it there (${oneLine(reason, REASON_MAX)}):`;
  return message(paragraph(news), paragraph({ mrkdwn: cutEscaped(unposted.text, UNPOSTED_MAX) }));
}

function withPrompt(
  news: Mrkdwn,
  prompt: string,
  names: ReadonlyMap<string, string>,
  ...offers: readonly Part[]
): SlackMessage {
  return message(
    paragraph(mrkdwn`${news} Your prompt was:`),
    quotation(quotedPrompt(prompt, names, PROMPT_MAX)),
    ...offers,
  );
}

function explanation(reason: string, job: Job): Mrkdwn {
  if (isBetweenPeople(reason, job)) {
    return mrkdwn`I cannot come into a direct message of two people: use a channel, or write to me directly.`;
  }
  if (isNotInChannel(reason)) {
    return mrkdwn`The bot is not in this conversation: type \`/invite @docs-agent\`, then press *${labels.tryAgain}*.`;
  }
  if (reason === NOT_SEEN) {
    return mrkdwn`I can't see whether the card of your request was posted. If you find one, ignore it: *${labels.tryAgain}* posts another.`;
  }
  if (reason === 'is_archived') {
    return mrkdwn`This channel is archived: send the command in another one.`;
  }
  if (reason.startsWith('restricted_action')) {
    return mrkdwn`The bot may not post in this channel: send the command in another one, or ask an administrator.`;
  }
  return mrkdwn`Slack did not take the message (${oneLine(reason, REASON_MAX)}): tell an administrator.`;
}

/** What one person is told in a job's thread, for their eyes only. */
export function whisperView({ messageTs }: Whisper, job: Job): SlackMessage {
  return message(
    paragraph(
      mrkdwn`✏️ *Edited after it was sent* · the agent still has your earlier text. *${labels.sendCorrection}* sends the reply as it reads now.`,
    ),
    actionButton(labels.sendCorrection, actionIds.sendCorrection, { jobId: job.id, messageTs }),
  );
}

/** In place of the offer, when it was taken. */
export function correctionSentView(): SlackMessage {
  return message(paragraph(mrkdwn`✏️ *The correction goes to the agent.*`));
}
