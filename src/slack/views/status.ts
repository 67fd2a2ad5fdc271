import type { KnownBlock, ModalView } from '@slack/types';
import type { FollowUp } from '../../jobs/follow-ups/follow-up.ts';
import type { Turn } from '../../jobs/follow-ups/turns.ts';
import { isUnwatched, type Job, watchQuestionOf } from '../../jobs/job.ts';
import type { SeenPullRequest } from '../../jobs/pull-requests/pull-request.ts';
import { lastPullRequestOf } from '../../jobs/pull-requests/standing.ts';
import { withoutSecrets } from '../../jobs/secrets.ts';
import { threadLink } from '../protocol/links.ts';
import { messageOfJob, type Reader } from './list.ts';
import { type ButtonTarget, buttons } from './parts/buttons.ts';
import { plainModal } from './parts/form.ts';
import {
  buttonRow,
  heading,
  message,
  openThreadButton,
  paragraph,
  type SlackMessage,
  say,
  smallPrint,
  smallQuotation,
  untrustedParagraph,
  withButton,
} from './parts/message.ts';
import { channelMention, duration, type Mrkdwn, moment, mrkdwn } from './parts/mrkdwn.ts';
import { progressOf, pullRequest, pullRequestTexts, sizeOf, titleOf } from './parts/pull-request.ts';
import { stateLine, waitingLine, warnings } from './parts/state.ts';
import { oneLine, quotedPrompt, titledPrompt, wholePrompt } from './parts/untrusted.ts';
import { askerMention, replies } from './parts/words.ts';
import { isBetweenPeople, tryAgainButton } from './thread/requester.ts';

const statusTexts = {
  again: (name: string) => mrkdwn`\`/docs-agent status ${name}\` shows this again`,
  stopWatching: mrkdwn`*Stop watching* ends the updates in the thread. The agent itself keeps working.`,
  noSuchJob: mrkdwn`🔍 *I can't find that job* among yours and those of this channel. \`/docs-agent list\` shows them.`,
  noJobYet: mrkdwn`🔍 *You haven't asked for anything yet.* \`/docs-agent explain the rate limits\` starts a job.`,
  asked: (who: Mrkdwn, channel: Mrkdwn, atMs: number) =>
    mrkdwn`Asked by ${who} in ${channel} ${moment(atMs)}`,
  watched: (who: Mrkdwn, channel: Mrkdwn, atMs: number) =>
    mrkdwn`Watched by ${who} in ${channel} since ${moment(atMs)}`,
  checked: (atMs: number) => mrkdwn`last checked ${moment(atMs)}`,
  job: (number: number) => `Job #${number}`,
  project: (name: string) => `Project ${name}`,
  repository: (name: string) => `Repository ${name}`,
  branch: (name: string) => `Branch ${name}`,
  model: (name: string) => `Model ${name}`,
  agentJob: (id: string) => `Agent job ${id}`,
  id: (id: string) => `Id ${id}`,
  turn: (number: number, atMs: number) => mrkdwn`*Turn ${number}* ${moment(atMs)}`,
  mayNotHaveArrived: mrkdwn`may not have arrived`,
  earlierTurns: (count: number) => mrkdwn`${count} earlier ${count === 1 ? 'turn' : 'turns'} not shown`,
  /** Without icons: a turn may have several outcomes, and a line has one icon at most. */
  outcomes: {
    finished: (atMs: number) => mrkdwn`*Done* ${moment(atMs)}`,
    failed: (atMs: number) => mrkdwn`*Failed* ${moment(atMs)}`,
    archived: (atMs: number) => mrkdwn`*Archived* ${moment(atMs)}`,
    vanished: (atMs: number) => mrkdwn`*Gone* ${moment(atMs)}`,
    pull_request: (atMs: number) => mrkdwn`*Pull request* ${moment(atMs)}`,
  },
  unsent: {
    waiting: '👀 Waiting:',
    sending: '👀 Being sent:',
    sent: '✅ Sent:',
    not_sent: '⚠️ Not sent:',
    unknown: '❓ May have arrived:',
    withdrawn: 'Withdrawn:',
    aside: '💬 Aside:',
    muted: '🔇 Muted:',
    excluded: 'Kept out:',
  } satisfies Readonly<Record<FollowUp['state'], string>>,
  moreUnsent: (count: number) => mrkdwn`${replies(count)} more not sent`,
} as const;

const TEXT_MAX = 100;
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
    ...facts(story, reader, TURNS_MAX),
    ...stopWatching(job, { isPrivate: true }),
    smallPrint(statusTexts.again(name(job))),
  );
  return messageOfJob(job, reader.names, view);
}

/** *Details*: the same in a modal, with the whole request. */
export function detailsView(story: JobStory, reader: Reader): SlackMessage {
  const { job } = story;
  const view = message(
    paragraph(stateLine(job, reader.sites)),
    ...wholePrompt(job.prompt, reader.names).map(untrustedParagraph),
    ...facts(story, reader, TURNS_IN_DETAILS_MAX),
    ...stopWatching(job),
    ...(job.muted ? [smallPrint(warnings.muted)] : []),
    smallQuotation(statusTexts.id(oneLine(job.id, ID_MAX))),
    smallPrint(statusTexts.again(name(job))),
  );
  return messageOfJob(job, reader.names, view);
}

export const jobModalTitle = 'Details';

/** Its metadata holds the channel where it was opened. */
export function detailsModal(blocks: ModalView['blocks'], channelId: string): ModalView {
  return { ...plainModal(jobModalTitle, { blocks }), private_metadata: channelId };
}

function facts({ job, turns, unsent }: JobStory, reader: Reader, turnsMax: number): KnownBlock[] {
  return [
    ...links(job, reader),
    ...pullRequestParts(job, reader),
    ...again(job, reader),
    smallPrint(...history(job), ...timesTaken(job, turns)),
    smallQuotation(...origin(job), ...agentJobId(job)),
    ...turnParts(turns, reader, turnsMax),
    ...unsentParts(unsent, reader),
    ...troubleParts(job),
  ];
}

export const noSuchJobView = say(statusTexts.noSuchJob);

export const noJobYetView = say(statusTexts.noJobYet);

function links({ agentJob, channelId, threadTs }: Job, { workspaceUrl }: Reader): KnownBlock[] {
  const thread = threadLink(workspaceUrl, channelId, threadTs);
  const beside = thread === null ? [] : [openThreadButton(thread)];
  if (!agentJob?.prLink) return beside.length === 0 ? [] : [buttonRow(...beside)];
  return pullRequest(agentJob.prLink, { style: 'primary', beside });
}

/** The code host's last word, and when. A title that only repeats the request is left out. */
function pullRequestParts(job: Job, { names }: Reader): KnownBlock[] {
  const seen = lastPullRequestOf(job);
  if (seen === null) return [];
  const title = titleOf(seen.facts);
  const isNew = title !== null && title !== titledPrompt(job.prompt, names).title;
  const facts = lastSeen(seen);
  return [
    ...(isNew ? [untrustedParagraph(title)] : []),
    ...(facts.length === 0 ? [] : [smallPrint(...facts)]),
  ];
}

function lastSeen({ facts, seenAtMs }: SeenPullRequest): Mrkdwn[] {
  const words = [...sizeOf(facts), ...progressOf(facts)].join(', ');
  return words === '' ? [] : [mrkdwn`${words}`, pullRequestTexts.asOf(seenAtMs)];
}

/** To the first pull request, unless the job was found at work, and to the merge. */
function timesTaken(job: Job, turns: readonly Turn[]): Mrkdwn[] {
  const { requestedAtMs, watchedAgentJobId } = job;
  const { state, openedAtMs, endedAtMs } = lastPullRequestOf(job)?.facts ?? {};
  const [first] = turns.flatMap(({ outcomes }) => outcomes.filter(({ kind }) => kind === 'pull_request'));
  const isTimed = first !== undefined && watchedAgentJobId === null;
  const isMerged = state === 'merged' && openedAtMs !== undefined && endedAtMs !== undefined;
  return [
    ...(isTimed ? [pullRequestTexts.readyAfter(duration(first.atMs - requestedAtMs))] : []),
    ...(isMerged ? [pullRequestTexts.mergedAfter(duration(endedAtMs - openedAtMs))] : []),
  ];
}

/** While the agent works. *Resume watching* is on the card. */
function stopWatching(job: Job, where: Pick<ButtonTarget, 'isPrivate'> = {}): KnownBlock[] {
  if (job.stage.kind !== 'working' || isUnwatched(job)) return [];
  const target = { jobId: job.id, question: watchQuestionOf(job), ...where };
  return [withButton(paragraph(statusTexts.stopWatching), buttons.stopWatching, target)];
}

/** The private message about the refusal may be gone. */
function again(job: Job, { userId }: Reader): KnownBlock[] {
  const { stage, requesterId } = job;
  if (stage.kind !== 'card_failed' || requesterId !== userId || isBetweenPeople(stage.reason, job)) return [];
  return [buttonRow(tryAgainButton(job))];
}

function history(job: Job): Mrkdwn[] {
  const { channelId, requestedAtMs, checkedAtMs, watchedAgentJobId } = job;
  const begun = watchedAgentJobId === null ? statusTexts.asked : statusTexts.watched;
  return [
    begun(askerMention(job), channelMention(channelId), requestedAtMs),
    ...(checkedAtMs === null ? [] : [statusTexts.checked(checkedAtMs)]),
  ];
}

/** What the agent works on, as far as known. */
function origin({ number, projectName, agentJob }: Job): string[] {
  const { repository, branch, model } = statusTexts;
  const known = [
    [statusTexts.project, projectName],
    [repository, agentJob?.repository],
    [branch, agentJob?.ref],
    [model, agentJob?.model],
  ] as const;
  return [
    ...(number > 0 ? [statusTexts.job(number)] : []),
    ...known.flatMap(([words, fact]) => (fact ? [words(oneLine(fact, TEXT_MAX))] : [])),
  ];
}

function agentJobId({ agentJob }: Job): string[] {
  return agentJob === null ? [] : [statusTexts.agentJob(oneLine(withoutSecrets(agentJob.id), ID_MAX))];
}

function turnParts(turns: readonly Turn[], reader: Reader, max: number): KnownBlock[] {
  const firstShown = Math.max(turns.length - max, 0);
  const parts = turns
    .slice(firstShown)
    .flatMap((turn, index) => turnPart(turn, firstShown + index + 1, reader));
  if (firstShown === 0) return parts;
  return [smallPrint(statusTexts.earlierTurns(firstShown)), ...parts];
}

function turnPart(
  { kind, text, startedAtMs, isAccepted, outcomes }: Turn,
  number: number,
  reader: Reader,
): KnownBlock[] {
  const fate = isAccepted ? [] : [statusTexts.mayNotHaveArrived];
  const head = smallPrint(
    statusTexts.turn(number, startedAtMs),
    ...fate,
    ...outcomes.map((outcome) => statusTexts.outcomes[outcome.kind](outcome.atMs)),
  );
  return kind === 'prompt' ? [head] : [head, smallQuotation(quotedPrompt(text, reader.names, TEXT_MAX))];
}

function unsentParts(unsent: readonly FollowUp[], reader: Reader): KnownBlock[] {
  if (unsent.length === 0) return [];
  const more = unsent.length - UNSENT_MAX;
  return [
    ...unsent
      .slice(0, UNSENT_MAX)
      .map(({ text, state }) =>
        smallQuotation(`${statusTexts.unsent[state]} ${quotedPrompt(text, reader.names, TEXT_MAX)}`),
      ),
    ...(more > 0 ? [smallPrint(statusTexts.moreUnsent(more))] : []),
  ];
}

/** A trouble that is not the state itself: it holds up replies. */
function troubleParts({ stage, trouble }: Job): KnownBlock[] {
  const isHeadline = stage.kind === 'opening' || stage.kind === 'creating' || trouble?.source === 'check';
  return trouble === null || isHeadline ? [] : [smallPrint(waitingLine(trouble))];
}

/** What people call it: its number, once it has one. */
function name({ id, number }: Job): string {
  return number > 0 ? String(number) : oneLine(id, ID_MAX).slice(0, SHORT_ID_LENGTH);
}
