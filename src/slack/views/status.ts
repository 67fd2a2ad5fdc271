import type { ModalView } from '@slack/types';
import { z } from 'zod';
import type { FollowUp } from '#jobs/follow-ups/follow-up.ts';
import type { Turn } from '#jobs/follow-ups/turns.ts';
import { isUnwatched, type Job, watchQuestionOf } from '#jobs/job.ts';
import { lastPullRequestOf } from '#jobs/pull-requests/standing.ts';
import { withoutSecrets } from '#jobs/secrets.ts';
import type { JobPage, PageStart } from '#jobs/shown/lists.ts';
import { decode, threadLink } from '../protocol/ids.ts';
import { type ButtonTarget, buttons } from './buttons.ts';
import { plainModal } from './form.ts';
import {
  askerMention,
  jobLine,
  mutedWarning,
  progressOf,
  pullRequest,
  type Reader,
  sizeOf,
  stateLine,
  titleOf,
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
  smallQuotation,
  targetButton,
  untrustedParagraph,
} from './message.ts';
import { isBetweenPeople, tryAgainButton } from './private-answers.ts';
import {
  channelMention,
  counted,
  duration,
  listed,
  type Mrkdwn,
  moment,
  mrkdwn,
  oneLine,
  type Parts,
  quotedPrompt,
  replies,
  titledPrompt,
  wholePrompt,
} from './text.ts';

/** Fits the plain-text fallback. */
export const JOBS_PER_PAGE = 6;

export function listView({ jobs, hasNewer, hasOlder }: JobPage, reader: Reader): SlackMessage {
  const [first, last] = [jobs.at(0), jobs.at(-1)];
  if (first === undefined || last === undefined) {
    return say`📋 *No jobs.* You haven't started any, and none are open in this channel. \`/docs-agent explain the rate limits\` starts one.`;
  }
  return message(
    mrkdwn`📋 *Your jobs, and the open ones of this channel*`,
    jobs.map((job) => jobLine(job, reader)),
    buttonRow(
      hasNewer && pressButton(buttons.newer, encodePage('newer', first)),
      hasOlder && pressButton(buttons.older, encodePage('older', last)),
    ),
  );
}

const pageButton = z
  .object({ to: z.enum(['older', 'newer']), at: z.number(), id: z.string().min(1).max(100) })
  .transform(({ to, at, id }) => ({ to, than: { requestedAtMs: at, id } }));

/** A position in time never expires. */
function encodePage(to: 'older' | 'newer', { requestedAtMs: at, id }: Job) {
  return JSON.stringify({ to, at, id });
}

export function decodePage(value: string): PageStart {
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
/** An id starts with its time in milliseconds. */
const SHORT_ID_LENGTH = 13;

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
    stateLine(job, reader.sites),
    factsOf(story, reader, TURNS_MAX),
    stopWatching(job, { isPrivate: true }),
    shownAgain(job),
  );
}

export function detailsView(story: JobStory, reader: Reader): SlackMessage {
  const { job } = story;
  return messageOfJob(
    job,
    reader.names,
    stateLine(job, reader.sites),
    wholePrompt(job.prompt, reader.names).map(untrustedParagraph),
    factsOf(story, reader, TURNS_IN_DETAILS_MAX),
    stopWatching(job),
    job.muted && smallPrint(mutedWarning),
    smallQuotation(`Id ${oneLine(job.id, ID_MAX)}`),
    shownAgain(job),
  );
}

export const jobModalTitle = 'Details';

/** The metadata holds the channel where it was opened. */
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
    // Delays only replies.
    trouble !== null && !isHeadline && smallPrint(waitingLine(trouble)),
  ];
}

/** Leaves out a title that repeats the request. */
function pullRequestParts(job: Job, { names }: Reader): Blocks {
  const seen = lastPullRequestOf(job);
  if (seen === null) return null;
  const title = titleOf(seen.facts);
  const words = listed<string>([sizeOf(seen.facts), progressOf(seen.facts)]).join(', ');
  return [
    title !== null && title !== titledPrompt(job.prompt, names).title && untrustedParagraph(title),
    words !== '' && smallPrint(words, mrkdwn`as of ${moment(seen.seenAtMs)}`),
  ];
}

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

/** *Resume watching* is on the card. */
function stopWatching(job: Job, where: Pick<ButtonTarget, 'isPrivate'> = {}): Blocks {
  if (job.stage.kind !== 'working' || isUnwatched(job)) return null;
  return paragraph(
    mrkdwn`*Stop watching* ends the updates in the thread. The agent itself keeps working.`,
    targetButton(buttons.stopWatching, { jobId: job.id, question: watchQuestionOf(job), ...where }),
  );
}

function history(job: Job): Parts<Mrkdwn> {
  const who = askerMention(job);
  const channel = channelMention(job.channelId);
  const at = moment(job.requestedAtMs);
  return [
    job.watchedAgentJobId === null
      ? mrkdwn`Asked by ${who} in ${channel} ${at}`
      : mrkdwn`Watched by ${who} in ${channel} since ${at}`,
    job.checkedAtMs !== null && mrkdwn`last checked ${moment(job.checkedAtMs)}`,
  ];
}

function origin({ number, projectName, agentJob }: Job): Parts<string> {
  return [
    number > 0 && `Job #${number}`,
    named('Project', projectName),
    named('Repository', agentJob?.repository),
    named('Branch', agentJob?.ref),
    named('Model', agentJob?.model),
    agentJob && `Agent job ${oneLine(withoutSecrets(agentJob.id), ID_MAX)}`,
  ];
}

const named = (kind: string, name: string | null | undefined) => name && `${kind} ${oneLine(name)}`;

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

function shownAgain({ id, number }: Job) {
  const name = number > 0 ? number : oneLine(id, ID_MAX).slice(0, SHORT_ID_LENGTH);
  return smallPrint(mrkdwn`\`/docs-agent status ${name}\` shows this again`);
}
