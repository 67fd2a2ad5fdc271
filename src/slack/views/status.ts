import type { ModalView } from '@slack/types';
import { z } from 'zod';
import type { FollowUp } from '#jobs/follow-ups/follow-up.ts';
import type { Turn } from '#jobs/follow-ups/turns.ts';
import { isUnwatched, type Job, type JobCursor, type JobPage, watchQuestionOf } from '#jobs/job.ts';
import { withoutSecrets } from '#jobs/secrets.ts';
import { decode, threadLink } from '../protocol/ids.ts';
import { type ButtonTarget, buttons } from './buttons.ts';
import { plainModal } from './form.ts';
import {
  askerMention,
  isHeadline,
  jobLine,
  mutedWarning,
  pullRequest,
  type Reader,
  stateLine,
  waitingLine,
} from './job.ts';
import {
  type Blocks,
  buttonRow,
  heading,
  linkButton,
  message,
  messageOfJob,
  paragraph,
  pressButton,
  type SlackMessage,
  say,
  smallPrint,
  targetButton,
} from './message.ts';
import { tryAgainButton } from './private-answers.ts';
import {
  channelMention,
  counted,
  joined,
  labels,
  moment,
  mrkdwn,
  oneLine,
  quotedPrompt,
  replies,
  titledPrompt,
  wholePrompt,
} from './text.ts';

/** Fits the plain-text fallback. */
export const JOBS_PER_PAGE = 6;

export function listView({ jobs, hasOlder }: JobPage, reader: Reader): SlackMessage {
  const last = jobs.at(-1);
  if (last === undefined) {
    return say`📋 *No jobs.* You haven't started any, and none are open in this channel. \`/docs-agent explain the rate limits\` starts one.`;
  }
  const { requestedAtMs, id } = last;
  return message(
    mrkdwn`📋 *Your jobs, and the open ones of this channel*`,
    jobs.map((job) => jobLine(job, reader)),
    buttonRow(hasOlder && pressButton(buttons.older, JSON.stringify({ requestedAtMs, id }))),
  );
}

/** A position in time never expires. */
const pageButton = z.object({ requestedAtMs: z.number(), id: z.string().min(1).max(100) });

export function decodePage(value: string): JobCursor | null {
  return decode(pageButton, value);
}

/** Without icons: a line has at most one. */
const OUTCOMES = {
  finished: 'Done',
  stopped: 'Stopped',
  failed: 'Failed',
  archived: 'Archived',
  vanished: 'Gone',
  pull_request: 'Pull request',
};
const UNSENT = {
  waiting: '👀 Waiting:',
  sending: '👀 Being sent:',
  sent: '✅ Sent:',
  not_sent: '⚠️ Not sent:',
  unknown: '❓ May have arrived:',
  withdrawn: 'Withdrawn:',
  aside: '💬 Aside:',
  muted: '🔇 Muted:',
  excluded: 'Kept out:',
};

const ID_MAX = 50;
const TURNS_MAX = 5;
const TURNS_IN_DETAILS_MAX = 20;
const UNSENT_MAX = 3;

export type JobStory = Readonly<{
  job: Job;
  turns: readonly Turn[];
  /** Oldest first. */
  unsent: readonly FollowUp[];
}>;

export function statusView(story: JobStory, reader: Reader): SlackMessage {
  const { job } = story;
  return messageOfJob(
    job,
    reader.names,
    heading(titledPrompt(job.prompt, reader.names).title),
    stateLine(job, { sites: reader.sites }),
    factsOf(story, reader, TURNS_MAX),
    stopWatching(job, { isPrivate: true }),
  );
}

export function detailsView(story: JobStory, reader: Reader): SlackMessage {
  const { job } = story;
  return messageOfJob(
    job,
    reader.names,
    stateLine(job, { sites: reader.sites }),
    wholePrompt(job.prompt, reader.names),
    factsOf(story, reader, TURNS_IN_DETAILS_MAX),
    stopWatching(job),
    job.muted && smallPrint(mutedWarning),
    smallPrint(`Id ${oneLine(job.id, ID_MAX)}`),
  );
}

export const jobModalTitle = 'Details';

/** The metadata holds the channel where it was opened. */
export function detailsModal(blocks: ModalView['blocks'], channelId: string): ModalView {
  return { ...plainModal(jobModalTitle, { blocks }), private_metadata: JSON.stringify({ channelId }) };
}

export const noSuchJobView = say`🔍 *I can't find that job* among yours and those of this channel. \`/docs-agent list\` shows them.`;
export const noJobYetView = say`🔍 *You haven't asked for anything yet.* \`/docs-agent explain the rate limits\` starts a job.`;

function factsOf({ job, turns, unsent }: JobStory, reader: Reader, turnsMax: number): Blocks {
  const { agentJob, channelId, stage, trouble } = job;
  const [who, channel, at] = [askerMention(job), channelMention(channelId), moment(job.requestedAtMs)];
  const thread = linkButton(buttons.openThread, threadLink(reader.workspaceUrl, channelId, job.threadTs));
  const delaysReplies = trouble?.source === 'send' && !isHeadline(job, trouble);
  return [
    pullRequest(agentJob?.prLink || null, thread),
    // The private message about the refusal may be gone.
    stage.kind === 'card_failed' &&
      job.requesterId === reader.userId &&
      buttonRow(tryAgainButton(stage.reason, job)),
    smallPrint(
      job.watchedAgentJobId === null
        ? mrkdwn`Asked by ${who} in ${channel} ${at}`
        : mrkdwn`Watched by ${who} in ${channel} since ${at}`,
      job.checkedAtMs !== null && mrkdwn`last checked ${moment(job.checkedAtMs)}`,
    ),
    smallPrint(
      job.number > 0 && `Job #${job.number}`,
      named('Project', job.projectName),
      named('Repository', agentJob?.repository),
      named('Branch', agentJob?.ref),
      named('Model', agentJob?.model),
      agentJob && `Agent job ${oneLine(withoutSecrets(agentJob.id), ID_MAX)}`,
    ),
    turnParts(turns, reader, turnsMax),
    unsent
      .slice(0, UNSENT_MAX)
      .map(({ text, state }) => smallPrint(`${UNSENT[state]} ${quotedPrompt(text, reader.names)}`)),
    unsent.length > UNSENT_MAX && smallPrint(mrkdwn`${replies(unsent.length - UNSENT_MAX)} more not sent`),
    delaysReplies && smallPrint(waitingLine(trouble)),
  ];
}

/** *Resume watching* is on the card. */
function stopWatching(job: Job, where: Pick<ButtonTarget, 'isPrivate'> = {}): Blocks {
  if (job.stage.kind !== 'working' || isUnwatched(job)) return null;
  return paragraph(
    mrkdwn`*Stop watching* ends the updates in the thread. The agent itself keeps working.`,
    targetButton(buttons.stopWatching, job, { question: watchQuestionOf(job), ...where }),
  );
}

const named = (kind: string, name: string | null | undefined) => name && `${kind} ${oneLine(name)}`;

function turnParts(turns: readonly Turn[], { names }: Reader, max: number): Blocks {
  const left = Math.max(turns.length - max, 0);
  return [
    left > 0 && smallPrint(mrkdwn`${counted(left, 'earlier turn')} not shown`),
    turns.slice(left).map(({ kind, text, startedAtMs, isAccepted, outcomes }, index) => [
      smallPrint(
        mrkdwn`*Turn ${left + index + 1}* ${moment(startedAtMs)}`,
        !isAccepted && 'may not have arrived',
        outcomes.map((outcome) => mrkdwn`*${OUTCOMES[outcome.kind]}* ${moment(outcome.atMs)}`),
      ),
      kind !== 'prompt' && smallPrint(quotedPrompt(text, names)),
    ]),
  ];
}

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
    buttonRow(pressButton(buttons.startJob, 'help'), pressButton(buttons.showAllHelp, 'help')),
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
