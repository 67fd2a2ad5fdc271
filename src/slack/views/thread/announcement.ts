import type { Announcement } from '../../../jobs/announcement.ts';
import { type Job, requestersOf } from '../../../jobs/job.ts';
import type { FollowUpMode } from '../../../jobs/policy.ts';
import { type CodeHostSite, PUBLIC_SITES } from '../../../jobs/pull-requests/link.ts';
import type { Unsent } from '../../../jobs/requests/attachments.ts';
import { NOT_SEEN } from '../../protocol/error-codes.ts';
import { unescapeMrkdwn } from '../../protocol/slack-text.ts';
import { messageOfJob } from '../list.ts';
import {
  message,
  paragraph,
  quotation,
  type SlackMessage,
  say,
  untrustedParagraph,
} from '../parts/message.ts';
import { addressing, channelMention, mrkdwn } from '../parts/mrkdwn.ts';
import { oneLine, shownPrompt } from '../parts/untrusted.ts';
import { fileKinds, labels, refusedNotices, snippetProblems, threadTexts } from '../parts/words.ts';
import { skippedView } from '../recipes.ts';
import { askedBy, askingView } from './actions.ts';
import { draftView } from './draft.ts';
import { latePullRequestView, turnEndedView, withPullRequest } from './turn-ended.ts';

const FOLLOW_UP_MAX = 2500;
const REASON_MAX = 100;
const WORDS_MAX = 300;
const NAME_MAX = 100;

/**
 * A message of its own in the job's thread.
 * @param names Slack ids to names, for mentions in the prompt and the announcement
 * @param sites for short names of pull requests
 */
export function announcementView(
  announcement: Announcement,
  job: Job,
  names: ReadonlyMap<string, string>,
  mode: FollowUpMode = 'every_reply',
  sites: readonly CodeHostSite[] = PUBLIC_SITES,
): SlackMessage {
  return messageOfJob(job, names, announced(announcement, job, names, mode, sites));
}

function announced(
  announcement: Announcement,
  job: Job,
  names: ReadonlyMap<string, string>,
  mode: FollowUpMode,
  sites: readonly CodeHostSite[],
): SlackMessage {
  switch (announcement.kind) {
    case 'draft':
      return draftView(announcement, job, names);
    case 'started':
      return say(threadTexts.started[mode]);
    case 'continued':
      return say(threadTexts.continued);
    case 'turn_ended':
      return turnEndedView(announcement, job, sites);
    case 'archived':
      return withPullRequest(say(threadTexts.archived), announcement, job, sites);
    case 'no_such_job':
      return noSuchAgentJob(job);
    case 'keeps_changing':
      return say(threadTexts.keepsChanging(announcement.pauseMs));
    case 'pull_request':
      return latePullRequestView(announcement, job, sites);
    case 'trouble':
      return troubled(announcement);
    case 'recovered':
      return say(threadTexts.recovered);
    case 'recipe_skipped':
      return skippedView(announcement.recipe);
    case 'caught_up':
      return caughtUp(announcement.count);
    case 'failed':
      return withPullRequest(askingView(askedBy(announcement, job, sites)), announcement, job, sites);
    case 'vanished':
    case 'create_rejected':
    case 'create_unknown':
    case 'message_rejected':
    case 'message_unknown':
    case 'long_running':
    case 'reminder':
      return askingView(askedBy(announcement, job, sites));
    case 'follow_up':
      return written(announcement, names);
    case 'files_not_sent':
      return filesNotSent(announcement.files);
    case 'snippets_not_sent':
      return snippetsNotSent(announcement.snippets);
    case 'pull_request_over':
      return pullRequestOver(announcement, job);
    case 'muted':
    case 'unmuted':
      return muting(announcement, names, mode);
    case 'notice_failed':
      return noticeFailed(announcement.channelId, announcement.reason);
  }
}

function noSuchAgentJob({ watchedAgentJobId, projectName }: Job): SlackMessage {
  const id = oneLine(watchedAgentJobId ?? '', NAME_MAX);
  return say(threadTexts.neverKnown(id, oneLine(projectName, NAME_MAX)));
}

function caughtUp(count: number): SlackMessage {
  return say(threadTexts.caughtUp(count));
}

function written(
  { userId, text }: Extract<Announcement, { kind: 'follow_up' }>,
  names: ReadonlyMap<string, string>,
): SlackMessage {
  return message(
    paragraph(threadTexts.written(nameOf(userId, names))),
    quotation(shownPrompt(text, names, FOLLOW_UP_MAX)),
  );
}

function nameOf(userId: string, names: ReadonlyMap<string, string>): string {
  return oneLine(names.get(userId) ?? labels.somebody, NAME_MAX);
}

function pullRequestOver(
  { state, by }: Extract<Announcement, { kind: 'pull_request_over' }>,
  job: Job,
): SlackMessage {
  const name = by === undefined ? null : oneLine(by, NAME_MAX);
  return say(threadTexts[state](addressing(requestersOf(job)), name));
}

function muting(
  { kind, userId }: Extract<Announcement, { kind: 'muted' | 'unmuted' }>,
  names: ReadonlyMap<string, string>,
  mode: FollowUpMode,
): SlackMessage {
  const name = nameOf(userId, names);
  if (kind === 'muted') return say(threadTexts.muted(name));
  const afterwards = mode === 'mentions' ? threadTexts.onlyMentions : '';
  return say(mrkdwn`${threadTexts.unmuted(name)}${afterwards}`);
}

function troubled({ trouble, retryAtMs, words }: Extract<Announcement, { kind: 'trouble' }>): SlackMessage {
  switch (trouble) {
    case 'rate_limited':
      return say(threadTexts.rateLimited(retryAtMs));
    case 'unreachable':
      return say(threadTexts.unreachable);
    case 'needs_admin':
      return say(threadTexts.needsAdmin(sentence(words)));
  }
}

/** The agent's words, as a sentence that ours can follow. */
function sentence(words: string | undefined): string {
  if (words === undefined) return '';
  const said = oneLine(words, WORDS_MAX);
  return /[.!?…]$/.test(said) ? `${said} ` : `${said}. `;
}

function noticeFailed(channelId: string, reason: string): SlackMessage {
  const channel = channelMention(channelId);
  if (reason === NOT_SEEN) return say(threadTexts.noticeUnclear(channel));
  const why = refusedNotices[reason] ?? oneLine(reason, REASON_MAX);
  return say(threadTexts.noticeRefused(channel, why));
}

/** For the person who wrote in a deleted job's thread. */
export const threadForgottenView = say(threadTexts.forgotten);

const FILE_NAME_MAX = 100;
const NAMES_MAX = 10;

export function filesNotSent(files: readonly Unsent[]): SlackMessage {
  const counted = Object.entries(fileKinds).flatMap(([kind, [one, several]]) => {
    const alike = files.filter((file) => file.kind === kind);
    const names = alike.flatMap(({ name }) =>
      name === null ? [] : [oneLine(unescapeMrkdwn(name), FILE_NAME_MAX)],
    );
    const named =
      names.length === 0
        ? ''
        : ` (${names.slice(0, NAMES_MAX).join(', ')}${names.length > NAMES_MAX ? ', …' : ''})`;
    return alike.length === 0 ? [] : [`${alike.length} ${alike.length === 1 ? one : several}${named}`];
  });
  return say(threadTexts.filesNotSent(counted.join(', ')));
}

function snippetsNotSent(
  snippets: Extract<Announcement, { kind: 'snippets_not_sent' }>['snippets'],
): SlackMessage {
  const lines = snippets.map(
    ({ name, problem }) => `${oneLine(unescapeMrkdwn(name), FILE_NAME_MAX)} · ${snippetProblems[problem]}`,
  );
  return message(paragraph(threadTexts.snippetsNotSent), untrustedParagraph(lines.join('\n')));
}
