import type { Job } from '../../jobs/job.ts';
import { actionIds } from '../ids.ts';
import { cutEscaped } from './limits.ts';
import { actionButton, message, type Part, paragraph, quotation, type SlackMessage } from './message.ts';
import { type Mrkdwn, mrkdwn } from './mrkdwn.ts';
import { line } from './state.ts';
import { oneLine, quotedPrompt } from './untrusted.ts';
import { labels, signs, troubleSigns } from './words.ts';

/** So that the prompt can be copied from it and sent again, as far as a section holds it. */
const PROMPT_MAX = 2500;
const REASON_MAX = 100;
const UNPOSTED_MAX = 2500;

/**
 * Tells the requester, privately, why there is no card, and so no job; offers *Try again*.
 * @param reason Slack's error code
 * @param names Slack ids to names, for the mentions in the prompt
 */
export function requesterView(
  reason: string,
  { id: jobId, cards, prompt }: Job,
  names: ReadonlyMap<string, string>,
): SlackMessage {
  const news = mrkdwn`${line(signs.notStarted)}. ${explanation(reason)} Nothing was started.`;
  return withPrompt(news, prompt, names, actionButton(labels.tryAgain, actionIds.tryAgain, { jobId, cards }));
}

/** In its place, when *Try again* was pressed. */
export function tryingAgainView(): SlackMessage {
  return message(paragraph(mrkdwn`🔁 *Trying again.* The card is about to appear.`));
}

/** Tells the requester, privately, that the request waits for an administrator. */
export function delayedView(
  reason: string,
  prompt: string,
  names: ReadonlyMap<string, string>,
): SlackMessage {
  const why = mrkdwn`Slack does not let the bot post (${oneLine(reason, REASON_MAX)}).`;
  const news = mrkdwn`${line(troubleSigns.needs_admin)}. ${why} Your request is kept, and starts when this is mended.`;
  return withPrompt(news, prompt, names);
}

/** Tells the requester, privately, what Slack did not let the bot say in the thread. */
export function unpostedView(reason: string, unposted: SlackMessage): SlackMessage {
  return message(
    paragraph(
      mrkdwn`I could not post this in the thread, or could not see it there (${oneLine(reason, REASON_MAX)}):`,
    ),
    paragraph({ mrkdwn: cutEscaped(unposted.text, UNPOSTED_MAX) }),
  );
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

function explanation(reason: string): Mrkdwn {
  if (reason === 'not_in_channel' || reason === 'channel_not_found') {
    return mrkdwn`The bot is not in this conversation: type \`/invite @docs-agent\`, then press *${labels.tryAgain}*.`;
  }
  if (reason === 'is_archived') {
    return mrkdwn`This channel is archived: send the command in another one.`;
  }
  if (reason.startsWith('restricted_action')) {
    return mrkdwn`The bot may not post in this channel: send the command in another one, or ask an administrator.`;
  }
  return mrkdwn`Slack did not take the message (${oneLine(reason, REASON_MAX)}): tell an administrator.`;
}
