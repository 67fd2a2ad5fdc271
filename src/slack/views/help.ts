import type { KnownBlock, ModalView } from '@slack/types';
import { buttons } from './parts/buttons.ts';
import { plainModal } from './parts/form.ts';
import {
  buttonRow,
  message,
  paragraph,
  pressButton,
  type SlackMessage,
  say,
  smallPrint,
} from './parts/message.ts';
import { type Mrkdwn, mrkdwn } from './parts/mrkdwn.ts';
import { oneLine } from './parts/untrusted.ts';
import { labels } from './parts/words.ts';

const help = {
  what: mrkdwn`📖 *Ask for a documentation change, get the pull request.*`,
  examples: mrkdwn`\`/docs-agent explain the rate limits\`
\`@docs-agent add a quickstart for webhooks\`
\`/docs-agent list\``,
  basics: mrkdwn`• *Steer:* reply in the job's thread; every reply goes to the agent
• *See:* \`/docs-agent list\`, \`/docs-agent status 142\`, or my Home tab
• *Keep out:* \`aside …\` hides one reply from the agent; \`mute\` hides all of them
• *Settings:* \`/docs-agent settings\`, for administrators`,
  /** `name`: of a recipe that the reader may run. */
  recipes: (name: string): Mrkdwn =>
    mrkdwn`• *Recipes:* \`/docs-agent run ${name}\` starts a request that an administrator has set up`,
  allTitle: 'Everything I can do',
  /** `recipes`: the line about them, or nothing. */
  start: (recipes: Mrkdwn): Mrkdwn => mrkdwn`*Start a job*
• \`/docs-agent explain the rate limits\` in a channel; \`/docs-agent\` alone opens a form
• \`@docs-agent …\` in a channel; in somebody else's thread, you choose which messages to include
• a direct message to me, *${labels.askDocsAgent}* in a message's menu, or *${buttons.startJob.label}* in my Home tab
• \`project=name\` at the start chooses the project
• \`--\` in front makes anything a request: \`/docs-agent -- help\`${recipes}`,
  runRecipe: (name: string): Mrkdwn =>
    mrkdwn`\n• \`/docs-agent run ${name}\`: a recipe, a request that an administrator has set up`,
  steer: mrkdwn`*Steer it*
• every reply in the job's thread goes to the agent; edit or delete it while it waits
• \`aside …\` hides one reply from the agent; \`mute\` hides all of them until \`unmute\` (a mention still gets through)
• text snippets are sent along; other files aren't
• a job that has started can't be stopped; *Stop watching*, under *${buttons.details.label}*, only ends its updates
• the pull request is announced in the thread`,
  see: mrkdwn`*See how things stand*
• \`/docs-agent list\`: your jobs and this channel's open ones; \`/docs-agent status 142\`: one in full; or my Home tab
• \`/docs-agent watch job_123\`: follow a job that was started elsewhere; for another project, \`/docs-agent project=name watch job_123\``,
  administrators: mrkdwn`*For administrators*
• \`/docs-agent settings\`: this channel's project, notice channels and replies
• \`/docs-agent report\`: outcomes of the last seven days
• \`/docs-agent doctor\`: what is wrong, if anything`,
  receipts: mrkdwn`👀 saved · ✅ delivered to the agent · ⚠️ not delivered · 💬 not for the agent · 🔇 muted`,
  typedOnly: (typed: string): Mrkdwn =>
    mrkdwn`Type it as a command: \`/docs-agent ${typed}\`. If you mean a request, put \`--\` in front: \`-- ${typed}\`.`,
  newMessagesOnly: mrkdwn`I only read new messages. Send it as a new message to start a job.`,
} as const;

const TYPED_MAX = 100;

/** How to use the bot, at a glance. @param recipe one that the reader may run; null: none */
export function helpView(recipe: string | null): SlackMessage {
  return message(
    paragraph(help.what),
    paragraph(help.examples),
    paragraph(recipe === null ? help.basics : mrkdwn`${help.basics}\n${help.recipes(recipe)}`),
    buttonRow(pressButton(buttons.startJob, 'help', 'primary'), pressButton(buttons.showAllHelp, 'help')),
  );
}

/** Every way to use the bot, and the legend of receipts. @param recipe as for `helpView` */
export function allHelpModal(recipe: string | null): ModalView {
  const start = help.start(recipe === null ? mrkdwn`` : help.runRecipe(recipe));
  const blocks: KnownBlock[] = [start, help.steer, help.see, help.administrators].map(paragraph);
  return plainModal(help.allTitle, { blocks: [...blocks, smallPrint(help.receipts)] });
}

/** Answers a message to the bot with a command that works only when typed as one. */
export function typedOnlyView(typed: string): SlackMessage {
  return say(help.typedOnly(oneLine(typed, TYPED_MAX)));
}

/** Shown when someone adds a mention by editing an old message. */
export const newMessagesOnlyView = say(help.newMessagesOnly);
