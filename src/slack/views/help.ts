import type { Command } from '../../jobs/command.ts';
import { message, type Part, paragraph, type SlackMessage, smallPrint } from './parts/message.ts';
import { mrkdwn } from './parts/mrkdwn.ts';
import { labels } from './parts/words.ts';

/** Every way to use the bot. */
export const ways: readonly Part[] = [
  paragraph(
    mrkdwn`*Start a job*
• \`/docs-agent explain the rate limits\` in a channel; \`/docs-agent\` alone opens a form
• \`@docs-agent …\` in a channel; in a thread of other people you choose which messages go along
• a direct message to me, *${labels.askDocsAgent}* in the menu of a message, *${labels.startJob}* in my Home tab
• \`project=name\` at the start chooses the project`,
  ),
  paragraph(
    mrkdwn`*Steer it*
• every reply in the job's thread is a follow-up; edit or delete it while it waits
• \`aside …\` keeps a reply out, \`mute\` and \`unmute\` all of them (a mention still gets through)
• text snippets go along, other files do not
• the pull request is announced in the thread`,
  ),
  paragraph(
    mrkdwn`*See what is going on*
• \`/docs-agent list\` your jobs and this channel's; \`/docs-agent status\` one in full; my Home tab
• \`/docs-agent watch job_123\` a thread for a job that was started elsewhere, in another project \`project=name watch job_123\`
• \`/docs-agent settings\` this channel's project, notice channels and follow-ups, for administrators`,
  ),
];

/** How to use the bot. */
export function helpView(): SlackMessage {
  return message(
    paragraph(mrkdwn`📖 *Ask for a documentation change, get the pull request.*`),
    ...ways,
    smallPrint(mrkdwn`\`/docs-agent -- help\` makes a prompt of a word that is a command`),
  );
}

/** Answers a message to the bot that is a command. */
export function typedOnlyView(kind: Exclude<Command['kind'], 'help' | 'compose' | 'prompt'>): SlackMessage {
  const typed = kind === 'watch' ? 'watch job_123' : kind;
  return message(
    paragraph(
      mrkdwn`📖 *This is a command: type it in a channel.* \`/docs-agent ${typed}\` is answered privately. Nothing was started. If you do mean these words, put \`--\` in front: \`-- ${typed}\``,
    ),
  );
}

/** For who adds a mention to a message that was sent before. */
export function newMessagesOnlyView(): SlackMessage {
  return message(paragraph(mrkdwn`I only read new messages. Send it as a new message to start a job.`));
}
