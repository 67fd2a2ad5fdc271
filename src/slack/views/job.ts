import type { Button, KnownBlock } from '@slack/types';
import { isEnded } from '#jobs/agent-job.ts';
import type { Queue } from '#jobs/follow-ups/follow-up.ts';
import {
  canStop,
  type Ended,
  isUnseen,
  isUnwatched,
  type Job,
  mayStartAgain,
  shownLinkOf,
  type Trouble,
  type Working,
  watchQuestionOf,
  workingSince,
} from '#jobs/job.ts';
import { type CodeHostSite, PUBLIC_SITES, pullRequestName } from '#jobs/pull-requests/link.ts';
import {
  type LinkedName,
  newsToAnswer,
  type PullRequestFacts,
  type PullRequestNews,
  seenPullRequest,
} from '#jobs/pull-requests/pull-request.ts';
import { cardStandingOf, jobStandingOf, lastPullRequestOf } from '#jobs/pull-requests/standing.ts';
import { unescaped } from '#jobs/requests/command.ts';
import { threadLink } from '../protocol/ids.ts';
import { type ButtonKind, buttons } from './buttons.ts';
import {
  type Blocks,
  buttonRow,
  confirmations,
  heading,
  linkButton,
  messageOfJob,
  namingJob,
  paragraph,
  type SlackMessage,
  smallPrint,
  targetButton,
} from './message.ts';
import {
  ago,
  asWritten,
  channelMention,
  duration,
  httpUrl,
  joined,
  labels,
  type Mrkdwn,
  moment,
  mrkdwn,
  type Names,
  NO_NAMES,
  nameIn,
  oneLine,
  ownLink,
  type Parts,
  promptTitle,
  replies,
  titledPrompt,
  userMention,
} from './text.ts';

const WORDS_MAX = 300;

/** Default: public sites. */
export type Sites = readonly CodeHostSite[];

/** What views show besides the job. */
export type ViewFacts = Readonly<{ names: Names; sites?: Sites | undefined }>;

/** Lines leave out what the reader knows. */
export type Reader = ViewFacts &
  Readonly<{
    userId: string;
    /** Null: the Home tab. */
    channelId: string | null;
    workspaceUrl: string | null;
  }>;

export function jobLine(job: Job, reader: Reader): KnownBlock[] {
  const { number, channelId, requesterId } = job;
  const { names, sites } = reader;
  const state = stateLine(job, { sites });
  const link = readableLink(job.agentJob?.prLink ?? job.announcedPrLink, sites);
  const standing = cardStandingOf(job) === null ? jobStandingOf(job) : null;
  const by = requesterId === reader.userId ? '' : mrkdwn` by ${askerMention(job)}`;
  const where = channelId === reader.channelId ? '' : mrkdwn` in ${channelMention(channelId)}`;
  const thread = threadLink(reader.workspaceUrl, channelId, job.threadTs);
  const facts = smallPrint(
    number > 0 && `#${number}`,
    state,
    link !== null && !state.mrkdwn.includes(link.mrkdwn) && link,
    standing && inWords(standing),
    mrkdwn`asked ${moment(job.requestedAtMs)}${by}${where}`,
    thread !== null && ownLink(thread, 'thread'),
  );
  const details = targetButton(buttons.details, job);
  return namingJob(job, names, [paragraph(promptTitle(job.prompt, names), details), facts]);
}

/** Null if Slack gives no name. */
export function askerOf({ requesterId, recipe, origin }: Job, names: Names): string | null {
  if (requesterId !== null) return names.get(requesterId) ?? null;
  if (recipe !== undefined) return `recipe ${recipe}`;
  if (origin.kind === 'mention' && origin.app !== undefined) return origin.app.name;
  return origin.kind === 'workflow' ? 'a workflow' : null;
}

export function askerMention({ requesterId, recipe }: Job): Mrkdwn {
  if (requesterId !== null) return userMention(requesterId);
  return mrkdwn`${recipe === undefined ? labels.somebody : oneLine(`recipe ${recipe}`)}`;
}

export const mutedWarning = mrkdwn`🔇 Muted: only mentions reach the agent`;

export function undeliveredWarning(count: number): Mrkdwn {
  return mrkdwn`⚠️ ${replies(count)} may not be included`;
}

const starting = mrkdwn`🚀 *Starting*`;
const waitsForAdmin = mrkdwn`⚠️ *Waiting for an administrator* · saved, continues once it's fixed`;
const standings = {
  merged: mrkdwn`✅ *Merged*`,
  closed: mrkdwn`⚪ *Closed without merging*`,
  checks_failing: mrkdwn`⚠️ *Checks failing*`,
  changes_requested: mrkdwn`👀 *Changes requested*`,
} as const;

/** For cards, lists and *Details*. @param names of people who decided */
export function stateLine(job: Job, { names = NO_NAMES, sites }: Partial<ViewFacts> = {}): Mrkdwn {
  const { stage, trouble } = job;
  if (trouble !== null && isHeadline(job, trouble)) return waitingLine(trouble);
  const pausedUntilMs = job.recentNews?.pausedUntilMs ?? null;
  if (pausedUntilMs !== null) {
    return mrkdwn`⚠️ *The agent keeps changing its answer* · I'll look again ${moment(pausedUntilMs)}`;
  }
  switch (stage.kind) {
    case 'awaiting_confirmation':
      return mrkdwn`❓ *Start another?*`;
    case 'draft':
      return mrkdwn`📝 *Draft*`;
    case 'dropped':
      // Drafts never started. After an unclear start, nobody knows.
      return job.creates === 0 || stage.why === 'withdrawn'
        ? mrkdwn`⚪ *Not started*`
        : mrkdwn`⚪ *Dismissed* by ${nameIn(names, stage.byUserId)}`;
    case 'opening':
      // Without a card, only lists and the Home tab show it.
      if (stage.waitsFor === 'administrator') return waitsForAdmin;
      return stage.waitsFor === undefined
        ? starting
        : mrkdwn`⏳ *Waiting for an invitation* to ${channelMention(job.channelId)}`;
    case 'creating':
      return starting;
    case 'card_failed':
      return mrkdwn`❌ *Not started* · Slack didn't accept the card`;
    case 'create_unknown':
      return mrkdwn`❓ *Couldn't confirm the start*`;
    case 'rejected':
      return mrkdwn`❌ *Not accepted* · ${reasonOf(stage.message)}`;
    case 'working':
      return isUnwatched(job)
        ? mrkdwn`⚪ *No longer watching* · the agent may still be working`
        : workingLine(job, stage);
    case 'ended':
      return endLine(job, stage, names, sites);
  }
}

/** While the agent works, the API may still report the previous turn's end. */
function workingLine(job: Job, stage: Working) {
  const { isOlder, activity } = stage;
  if (stage.stopBy !== undefined) return mrkdwn`⏹️ *Stopping*`;
  const status = job.agentJob?.status ?? 'active';
  // A watched job whose status hasn't been read yet.
  const isUnread = isOlder === true && job.checkedAtMs === null;
  if (status !== 'active' && !isEnded(status) && !isUnread) {
    return mrkdwn`ℹ️ *${asWritten(oneLine(status))}*`;
  }
  // Replies before the first turn are part of the request.
  const count = job.turn === 1 ? 0 : (job.turnReplies?.count ?? 0);
  // In the middle of a line: "editing docs/a.md".
  const inSentence = (words: string) => words.replace(/^\p{Lu}(?=\p{Ll})/u, (letter) => letter.toLowerCase());
  return joined([
    count === 0 ? mrkdwn`⚙️ *Working*` : mrkdwn`⚙️ *Working on ${replies(count)}*`,
    isOlder !== true && mrkdwn`started ${ago(workingSince(stage))}`,
    activity && asWritten(inSentence(oneLine(activity.words, WORDS_MAX))),
  ]);
}

function endLine(job: Job, { status, tookMs, stoppedBy }: Ended, names: Names, sites?: Sites) {
  const { agentJob, turn, prLinkTurn = 1, turnReplies } = job;
  const prLink = shownLinkOf(job);
  const link = readableLink(prLink, sites);
  const standing = cardStandingOf(job);
  if (stoppedBy !== undefined && standing !== 'merged' && standing !== 'closed') {
    const name = names.get(stoppedBy ?? '');
    return joined([name === undefined ? mrkdwn`⏹️ *Stopped*` : mrkdwn`⏹️ *Stopped* by ${oneLine(name)}`, link]);
  }
  if (standing !== null) return joined([standings[standing], link, detailOf(standing, job)]);
  switch (status) {
    case 'completed': {
      if (prLink === null) return mrkdwn`✅ *Done, no pull request*`;
      if (!agentJob?.prLink) return joined([mrkdwn`💬 *Answered*`, link]);
      if (turn === prLinkTurn) {
        return joined([mrkdwn`✅ *Pull request ready*`, link, tookMs !== undefined && duration(tookMs)]);
      }
      const count = turnReplies?.count ?? 0;
      return joined([mrkdwn`✅ *Updated*`, link, count > 0 && `${replies(count)} included`]);
    }
    case 'failed':
      return mrkdwn`❌ *Failed* · ${reasonOf(agentJob?.reason)}`;
    case 'archived':
      return mrkdwn`⚪ *Archived* · a reply may still reopen it`;
    case 'vanished': {
      if (!isUnseen(job)) return mrkdwn`❌ *The agent no longer knows this job*`;
      const id = oneLine(job.watchedAgentJobId ?? '');
      return mrkdwn`❌ *The agent has no job “${id}” in the ${oneLine(job.projectName)} project*`;
    }
  }
}

const LINKED_NAME_MAX = 60;

/** Null: there are none. */
export function namedThere(names: readonly LinkedName[]): Mrkdwn | null {
  const shown = names.map(({ name, userId }) =>
    userId ? userMention(userId) : asWritten(oneLine(name, LINKED_NAME_MAX)),
  );
  return shown.length === 0 ? null : joined(shown, ', ');
}

function detailOf(standing: keyof typeof standings, job: Job) {
  const { failing, requests = [] } = lastPullRequestOf(job)?.facts ?? {};
  if (standing === 'checks_failing') return namedThere(failing?.names ?? []);
  if (standing !== 'changes_requested') return null;
  const by = namedThere((lastToAnswer(job, 'review') ?? requests.at(-1))?.names ?? []);
  return by && mrkdwn`by ${by}`;
}

function lastToAnswer(job: Job, kind: PullRequestNews['kind']) {
  const seen = lastPullRequestOf(job);
  return seen && newsToAnswer(seen, job).findLast((one) => one.kind === kind);
}

function reasonOf(words = '') {
  return words === '' ? 'the agent gave no reason' : asWritten(oneLine(words, WORDS_MAX));
}

export function waitingLine({ kind, source, retryAtMs }: Trouble): Mrkdwn {
  const at = moment(retryAtMs);
  switch (kind) {
    case 'rate_limited':
      return source === 'send'
        ? mrkdwn`⏳ *Waiting* · the agent's hourly limit is used up · continues ${at}`
        : mrkdwn`⏳ *Waiting* · the agent asked for a pause · continues ${at}`;
    case 'unreachable':
      return mrkdwn`⏳ *Waiting* · can't reach the agent · next try ${at}`;
    case 'needs_admin':
      return waitsForAdmin;
  }
}

/** Other trouble delays only replies. */
export function isHeadline({ stage: { kind } }: Job, { source }: Trouble) {
  return kind === 'opening' || kind === 'creating' || (kind === 'working' && source === 'check');
}

/** Has no effect after another start. A watched job's prompt is unknown. */
export function startAgain(job: Job): Button | null {
  const { creates, watchedAgentJobId } = job;
  return watchedAgentJobId === null ? targetButton(buttons.startAgain, job, { creates }) : null;
}

export function startAgainOrEdit(job: Job): Parts<Button> {
  const again = startAgain(job);
  return again && [again, editAndStart(job)];
}

export function editAndStart(job: Job): Button {
  return targetButton(buttons.editAndStart, job, { creates: job.creates });
}

/** The card repeats the thread's offer, which Slack may have refused. */
export function cardActions(
  job: Job,
  { sendNow, undecided }: Pick<Queue, 'sendNow' | 'undecided'>,
): Parts<Button> {
  const { stage } = job;
  if (stage.kind === 'create_unknown') {
    return targetButton(buttons.resolveStart, job, { callId: stage.callId });
  }
  if (stage.kind === 'rejected') return editAndStart(job);
  if (stage.kind === 'ended' && stage.status === 'failed') return startAgainOrEdit(job);
  if (mayStartAgain(job)) return startAgain(job);
  if (isUnwatched(job)) return targetButton(buttons.resumeWatching, job, { question: watchQuestionOf(job) });
  if (undecided !== null) {
    const asks = undecided.mayBeThere ? confirmations.sendAgain : undefined;
    return targetButton(buttons.sendAgain, job, { callId: undecided.callId }, asks);
  }
  if (sendNow !== null) return targetButton(buttons.sendNow, job, { message: sendNow });
  const standing = cardStandingOf(job);
  const followUp = targetButton(buttons.followUp, job);
  if (standing === 'checks_failing') return answerButton(job, 'checks', buttons.askForFix) ?? followUp;
  if (standing === 'changes_requested') return answerButton(job, 'review', buttons.sendReview) ?? followUp;
  const isPlainEnd =
    stage.kind === 'ended' &&
    stage.status === 'completed' &&
    stage.stoppedBy === undefined &&
    shownLinkOf(job) === null;
  return isPlainEnd && followUp;
}

function answerButton(job: Job, kind: PullRequestNews['kind'], button: ButtonKind) {
  const news = lastToAnswer(job, kind);
  return news ? targetButton(button, job, { news: news.key }) : null;
}

export type CardFacts = ViewFacts & Readonly<{ queue: Queue }>;

export function cardView(job: Job, facts: CardFacts): SlackMessage {
  const { agentJob, number, pictures = [] } = job;
  const { queue, names } = facts;
  const { title, rest } = titledPrompt(job.prompt, names);
  const stop = canStop(job) && !isUnwatched(job) && targetButton(buttons.stop, job, {}, confirmations.stop);
  const beside = [stop, cardActions(job, queue), targetButton(buttons.details, job)];
  const asker = askerOf(job, names);
  const project = oneLine(job.projectName);
  const repository = agentJob?.repository;
  return messageOfJob(
    job,
    names,
    heading(title),
    rest,
    joined([stateLine(job, facts), warningOf(job, queue)], '\n'),
    pullRequest(shownLinkOf(job) || null, beside),
    smallPrint(
      number > 0 && `#${number}`,
      asker !== null && `asked by ${oneLine(asker)}`,
      repository ? `${project} → ${oneLine(repository)}` : project,
      job.context !== '' && 'with messages from this thread',
      (job.snippets.length > 0 || job.inlined !== '') && 'with attached text',
      pictures.length > 0 && `with ${oneLine(unescaped(pictures.map(({ name }) => name).join(', ')))}`,
    ),
  );
}

function warningOf({ trouble, muted }: Job, { waiting, untilMs, undecided }: Queue) {
  if (undecided !== null) return undeliveredWarning(undecided.count);
  if (waiting === 0) return muted ? mutedWarning : null;
  const waits = mrkdwn`⏳ ${replies(waiting)} waiting`;
  if (trouble?.source === 'send' && trouble.kind === 'needs_admin') {
    return mrkdwn`${waits} for an administrator`;
  }
  return untilMs === null ? waits : mrkdwn`${waits} until ${moment(untilMs)}`;
}

const LINK_MAX = 1000;
const UNLINKED_MAX = 500;
const SHORT_MAX = 150;
const READABLE_MAX = 120;

/** Plain text if the URL may not be a link. */
export function pullRequest(prLink: string | null, beside: Parts<Button> = null): Blocks {
  const button = linkButton(buttons.viewPullRequest, prLink);
  return [
    button === null && prLink !== null && `Pull request: ${oneLine(prLink, UNLINKED_MAX)}`,
    buttonRow(button, beside),
  ];
}

/** `acme/docs#14` for a known host, else host and path. Null if it is too long or may not be a link. */
export function shortPullRequestLink(prLink: string | null, sites: Sites = PUBLIC_SITES): Mrkdwn | null {
  const url = httpUrl(prLink ?? '');
  if (url === null || mrkdwn`${url}`.mrkdwn.length > LINK_MAX) return null;
  const { host, pathname } = new URL(url);
  return ownLink(url, oneLine(pullRequestName(url, sites) ?? `${host}${pathname}`, SHORT_MAX));
}

/** With a lower limit, for lists. */
export function readableLink(prLink: string | null, sites?: Sites): Mrkdwn | null {
  return (prLink?.length ?? 0) > READABLE_MAX ? null : shortPullRequestLink(prLink, sites);
}

export function inWords(state: string) {
  return state.replaceAll('_', ' ');
}

export function factsOfLink(job: Job, url: string): PullRequestFacts {
  return seenPullRequest(job, url)?.facts ?? {};
}
