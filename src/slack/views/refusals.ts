import { message, paragraph, type SlackMessage } from './message.ts';
import { mrkdwn } from './mrkdwn.ts';
import { oneLine } from './untrusted.ts';

const WORD_MAX = 50;
const numbers = new Intl.NumberFormat('en-US');

export function emptyPromptView(): SlackMessage {
  return message(
    paragraph(
      mrkdwn`✏️ *No prompt.* Say what to change: \`/docs-agent explain the rate limits\`. Nothing was started.`,
    ),
  );
}

/** Lengths in characters. */
export function promptTooLongView(length: number, maxLength: number): SlackMessage {
  return message(
    paragraph(
      mrkdwn`✂️ *The prompt is too long.* It has ${numbers.format(length)} characters, the limit is ${numbers.format(maxLength)}. Nothing was started.`,
    ),
  );
}

/** @param word a reserved word that does nothing yet, such as `list` */
export function reservedWordView(word: string): SlackMessage {
  const command = oneLine(word, WORD_MAX);
  return message(
    paragraph(
      mrkdwn`🚧 *${command} is not available yet.* To use it as a prompt, type \`/docs-agent -- ${command}\`. Nothing was started.`,
    ),
  );
}

/** Sent again at once, it could be done twice. */
export function storingUnclearView(): SlackMessage {
  return message(
    paragraph(
      mrkdwn`❓ *It is not clear whether the request was stored.* If nothing appears within a minute, please try again.`,
    ),
  );
}

export function notStoredView(): SlackMessage {
  return message(
    paragraph(mrkdwn`⚠️ *The request could not be stored.* Nothing was started: please try again.`),
  );
}
