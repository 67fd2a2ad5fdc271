import type { ModalView } from '@slack/types';
import { buttons } from './buttons.ts';
import { plainModal } from './form.ts';
import { buttonRow, message, pressButton, type SlackMessage, say, smallPrint } from './message.ts';
import { joined, labels, mrkdwn, oneLine } from './text.ts';

/** @param recipe one that the reader may run */
export function helpView(recipe: string | null): SlackMessage {
  const basics = mrkdwn`• *Steer:* reply in the job's thread; every reply goes to the agent
• *See:* \`/docs-agent list\`, \`/docs-agent status 142\`, or my Home tab
• *Keep out:* \`aside …\` hides one reply from the agent; \`mute\` hides all of them
• *Settings:* \`/docs-agent settings\`, for administrators`;
  const recipes =
    recipe !== null &&
    mrkdwn`• *Recipes:* \`/docs-agent run ${recipe}\` starts a request that an administrator has set up`;
  return message(
    mrkdwn`📖 *Ask for a documentation change, get the pull request.*`,
    mrkdwn`\`/docs-agent explain the rate limits\`
\`@docs-agent add a quickstart for webhooks\`
\`/docs-agent list\``,
    joined([basics, recipes], '\n'),
    buttonRow(pressButton(buttons.startJob, 'help', 'primary'), pressButton(buttons.showAllHelp, 'help')),
  );
}

export function allHelpModal(recipe: string | null, canStop = false): ModalView {
  const stop = canStop
    ? mrkdwn`*${buttons.stop.label}* on the card, or the word, ends what the agent does`
    : mrkdwn`a job that has started can't be stopped`;
  const start = mrkdwn`*Start a job*
• \`/docs-agent explain the rate limits\` in a channel; \`/docs-agent\` alone opens a form
• \`@docs-agent …\` in a channel; in somebody else's thread, you choose which messages to include
• a direct message to me, *${labels.askDocsAgent}* in a message's menu, or *${buttons.startJob.label}* in my Home tab
• \`project=name\` at the start chooses the project
• \`--\` in front makes anything a request: \`/docs-agent -- help\``;
  const runRecipe =
    recipe !== null &&
    mrkdwn`• \`/docs-agent run ${recipe}\`: a recipe, a request that an administrator has set up`;
  const all = message(
    joined([start, runRecipe], '\n'),
    mrkdwn`*Steer it*
• every reply in the job's thread goes to the agent; edit or delete it while it waits
• \`aside …\` hides one reply from the agent; \`mute\` hides all of them until \`unmute\` (a mention still gets through)
• text files are sent along, and pictures if the agent takes them; other files aren't
• ${stop}; *Stop watching*, under *${buttons.details.label}*, only ends its updates
• the pull request is announced in the thread`,
    mrkdwn`*See how things stand*
• \`/docs-agent list\`: your jobs and this channel's open ones; \`/docs-agent status 142\`: one in full; or my Home tab
• \`/docs-agent watch job_123\`: follow a job that was started elsewhere; for another project, \`/docs-agent project=name watch job_123\``,
    mrkdwn`*For administrators*
• \`/docs-agent settings\`: this channel's project, notice channels and replies
• \`/docs-agent report\`: outcomes of the last seven days
• \`/docs-agent doctor\`: what is wrong, if anything`,
    smallPrint(
      mrkdwn`👀 saved · ✅ delivered to the agent · ⚠️ not delivered · 💬 not for the agent · 🔇 muted`,
    ),
  );
  return plainModal('Everything I can do', all);
}

export function typedOnlyView(command: string): SlackMessage {
  const typed = oneLine(command);
  return say`Type it as a command: \`/docs-agent ${typed}\`. If you mean a request, put \`--\` in front: \`-- ${typed}\`.`;
}

/** For mentions added by an edit. */
export const newMessagesOnlyView = say`I only read new messages. Send it as a new message to start a job.`;
