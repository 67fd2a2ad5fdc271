import type { ModalView } from '@slack/types';
import type { FollowUp } from '../../jobs/follow-ups/follow-up.ts';
import type { Turn } from '../../jobs/follow-ups/turns.ts';
import { isUnwatched, type Job, watchQuestionOf } from '../../jobs/job.ts';
import { lastPullRequestOf } from '../../jobs/pull-requests/standing.ts';
import { withoutSecrets } from '../../jobs/secrets.ts';
import { threadLink } from '../protocol/links.ts';
import { messageOfJob, type Reader } from './list.ts';
import { type ButtonTarget, buttons } from './parts/buttons.ts';
import { plainModal } from './parts/form.ts';
import {
  type Blocks,
  buttonRow,
  heading,
  linkButton,
  message,
  paragraph,
  type SlackMessage,
  say,
  smallPrint,
  smallQuotation,
  targetButton,
  untrustedParagraph,
} from './parts/message.ts';
import {
  channelMention,
  counted,
  duration,
  listed,
  type Mrkdwn,
  moment,
  mrkdwn,
  type Parts,
  replies,
} from './parts/mrkdwn.ts';
import { progressOf, pullRequest, sizeOf, titleOf } from './parts/pull-request.ts';
import { mutedWarning, stateLine, waitingLine } from './parts/state.ts';
import { oneLine, quotedPrompt, titledPrompt, wholePrompt } from './parts/untrusted.ts';
import { askerMention } from './parts/words.ts';
import { isBetweenPeople, tryAgainButton } from './thread/requester.ts';

/** Without icons: a turn may have several outcomes, and a line has one icon at most. */
const OUTCOMES: Readonly<Record<Turn['outcomes'][number]['kind'], string>> = {
  finished: 'Done',
  failed: 'Failed',
  archived: 'Archived',
  vanished: 'Gone',
  pull_request: 'Pull request',
};
const UNSENT: Readonly<Record<FollowUp['state'], string>> = {
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
/** An id begins with its time in milliseconds, which identifies a job well enough. */
const SHORT_ID_LENGTH = 13;

export interface JobStory {
  readonly job: Job;
  readonly turns: readonly Turn[];
  /** Oldest first. */
  readonly unsent: readonly FollowUp[];
}

export function statusView(story: JobStory, reader: Reader): SlackMessage {
  const { job } = story;
  const view = message(
    heading(titledPrompt(job.prompt, reader.names).title),
    paragraph(stateLine(job, reader.sites)),
    factsOf(story, reader, TURNS_MAX),
    stopWatching(job, { isPrivate: true }),
    shownAgain(job),
  );
  return messageOfJob(job, reader.names, view);
}

/** *Details*: the same in a modal, with the whole request. */
export function detailsView(story: JobStory, reader: Reader): SlackMessage {
  const { job } = story;
  const view = message(
    paragraph(stateLine(job, reader.sites)),
    wholePrompt(job.prompt, reader.names).map(untrustedParagraph),
    factsOf(story, reader, TURNS_IN_DETAILS_MAX),
    stopWatching(job),
    job.muted && smallPrint(mutedWarning),
    smallQuotation(`Id ${oneLine(job.id, ID_MAX)}`),
    shownAgain(job),
  );
  return messageOfJob(job, reader.names, view);
}

export const jobModalTitle = 'Details';

/** Its metadata holds the channel where it was opened. */
export function detailsModal(blocks: ModalView['blocks'], channelId: string): ModalView {
  return { ...plainModal(jobModalTitle, { blocks }), private_metadata: channelId };
}

export const noSuchJobView = say`🔍 *I can't find that job* among yours and those of this channel. \`/docs-agent list\` shows them.`;

export const noJobYetView = say`🔍 *You haven't asked for anything yet.* \`/docs-agent explain the rate limits\` starts a job.`;

function factsOf({ job, turns, unsent }: JobStory, reader: Reader, turnsMax: number): Blocks {
  const { agentJob, channelId, stage, trouble } = job;
  const thread = linkButton(buttons.openThread, threadLink(reader.workspaceUrl, channelId, job.threadTs));
  // The private message about the refusal may be gone.
  const mayTryAgain =
    stage.kind === 'card_failed' && job.requesterId === reader.userId && !isBetweenPeople(stage.reason, job);
  const isHeadline = stage.kind === 'opening' || stage.kind === 'creating' || trouble?.source === 'check';
  return [
    agentJob?.prLink ? pullRequest(agentJob.prLink, thread, 'primary') : buttonRow(thread),
    pullRequestParts(job, reader),
    mayTryAgain && buttonRow(tryAgainButton(job)),
    smallPrint(history(job), timesTaken(job, turns)),
    smallQuotation(origin(job)),
    turnParts(turns, reader, turnsMax),
    unsent
      .slice(0, UNSENT_MAX)
      .map(({ text, state }) => smallQuotation(`${UNSENT[state]} ${quotedPrompt(text, reader.names)}`)),
    unsent.length > UNSENT_MAX && smallPrint(mrkdwn`${replies(unsent.length - UNSENT_MAX)} more not sent`),
    // A trouble that is not the state itself holds up replies.
    trouble !== null && !isHeadline && smallPrint(waitingLine(trouble)),
  ];
}

/** The code host's last word, and when. A title that only repeats the request is left out. */
function pullRequestParts(job: Job, { names }: Reader): Blocks {
  const seen = lastPullRequestOf(job);
  if (seen === null) return null;
  const title = titleOf(seen.facts);
  const words = listed<string>([sizeOf(seen.facts), progressOf(seen.facts)]).join(', ');
  return [
    title !== null && title !== titledPrompt(job.prompt, names).title && untrustedParagraph(title),
    // It may have changed since.
    words !== '' && smallPrint(words, mrkdwn`as of ${moment(seen.seenAtMs)}`),
  ];
}

/** To the first pull request, unless the job was found at work, and to the merge. */
function timesTaken(job: Job, turns: readonly Turn[]): Parts<Mrkdwn> {
  const { state, openedAtMs, endedAtMs } = lastPullRequestOf(job)?.facts ?? {};
  const first = turns.flatMap(({ outcomes }) => outcomes).find(({ kind }) => kind === 'pull_request');
  const isMerged = state === 'merged' && openedAtMs !== undefined && endedAtMs !== undefined;
  return [
    first !== undefined &&
      job.watchedAgentJobId === null &&
      mrkdwn`pull request after ${duration(first.atMs - job.requestedAtMs)}`,
    isMerged && mrkdwn`merged after ${duration(endedAtMs - openedAtMs)}`,
  ];
}

/** While the agent works. *Resume watching* is on the card. */
function stopWatching(job: Job, where: Pick<ButtonTarget, 'isPrivate'> = {}): Blocks {
  if (job.stage.kind !== 'working' || isUnwatched(job)) return null;
  const target = { jobId: job.id, question: watchQuestionOf(job), ...where };
  const words = mrkdwn`*Stop watching* ends the updates in the thread. The agent itself keeps working.`;
  return { ...paragraph(words), accessory: targetButton(buttons.stopWatching, target) };
}

function history(job: Job): Parts<Mrkdwn> {
  const { requestedAtMs, checkedAtMs } = job;
  const who = askerMention(job);
  const channel = channelMention(job.channelId);
  const at = moment(requestedAtMs);
  return [
    job.watchedAgentJobId === null
      ? mrkdwn`Asked by ${who} in ${channel} ${at}`
      : mrkdwn`Watched by ${who} in ${channel} since ${at}`,
    checkedAtMs !== null && mrkdwn`last checked ${moment(checkedAtMs)}`,
  ];
}

/** What the agent works on, as far as known. */
function origin({ number, projectName, agentJob }: Job): Parts<string> {
  return [
    number > 0 && `Job #${number}`,
    projectName && `Project ${oneLine(projectName)}`,
    agentJob?.repository && `Repository ${oneLine(agentJob.repository)}`,
    agentJob?.ref && `Branch ${oneLine(agentJob.ref)}`,
    agentJob?.model && `Model ${oneLine(agentJob.model)}`,
    agentJob && `Agent job ${oneLine(withoutSecrets(agentJob.id), ID_MAX)}`,
  ];
}

function turnParts(turns: readonly Turn[], { names }: Reader, max: number): Blocks {
  const left = Math.max(turns.length - max, 0);
  return [
    left > 0 && smallPrint(mrkdwn`${counted(left, 'earlier turn')} not shown`),
    turns.slice(left).map(({ kind, text, startedAtMs, isAccepted, outcomes }, index) => [
      smallPrint(
        mrkdwn`*Turn ${left + index + 1}* ${moment(startedAtMs)}`,
        !isAccepted && mrkdwn`may not have arrived`,
        outcomes.map((outcome) => mrkdwn`*${OUTCOMES[outcome.kind]}* ${moment(outcome.atMs)}`),
      ),
      kind !== 'prompt' && smallQuotation(quotedPrompt(text, names)),
    ]),
  ];
}

/** By what people call the job: its number, once it has one. */
function shownAgain({ id, number }: Job): Blocks {
  const name = number > 0 ? number : oneLine(id, ID_MAX).slice(0, SHORT_ID_LENGTH);
  return smallPrint(mrkdwn`\`/docs-agent status ${name}\` shows this again`);
}
