import { message, paragraph, type SlackMessage, smallPrint } from './message.ts';
import { mrkdwn } from './mrkdwn.ts';

/** How to use the bot. */
export function helpView(): SlackMessage {
  return message(
    paragraph(mrkdwn`📖 *Ask for a documentation change, get the pull request.*`),
    paragraph(
      mrkdwn`• \`/docs-agent explain the rate limits\` starts a job: its card in this channel shows how it goes
• a reply in the card's thread is a follow-up: it goes to the same job
• the pull request is announced in the thread`,
    ),
    smallPrint(mrkdwn`\`/docs-agent -- help\` makes a prompt of a word that is a command`),
  );
}
