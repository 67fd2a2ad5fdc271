import type { Announcement, AnnouncementOf } from '../../../jobs/announcement.ts';
import { type Job, requestersOf } from '../../../jobs/job.ts';
import type { FollowUpMode } from '../../../jobs/policy.ts';
import type { FileKind, SnippetProblem, Unsent } from '../../../jobs/requests/attachments.ts';
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
import {
  addressing,
  asWritten,
  channelMention,
  counted,
  duration,
  moment,
  mrkdwn,
  replies,
} from '../parts/mrkdwn.ts';
import type { Sites } from '../parts/pull-request.ts';
import { type Names, oneLine, shownPrompt } from '../parts/untrusted.ts';
import { nameIn, whyRefused } from '../parts/words.ts';
import { skippedView } from '../recipes.ts';
import { askedBy, askingView, isAsking } from './actions.ts';
import { draftView } from './draft.ts';
import { latePullRequestView, turnEndedView, withPullRequest } from './turn-ended.ts';

const FOLLOW_UP_MAX = 2500;
const WORDS_MAX = 300;
const NAMES_MAX = 10;

export function announcementView(
  announcement: Announcement,
  job: Job,
  names: Names,
  mode: FollowUpMode = 'every_reply',
  sites?: Sites,
): SlackMessage {
  return messageOfJob(job, names, announced(announcement, job, names, mode, sites));
}

function announced(
  announcement: Announcement,
  job: Job,
  names: Names,
  mode: FollowUpMode,
  sites?: Sites,
): SlackMessage {
  if (isAsking(announcement)) {
    const asking = askingView(askedBy(announcement, job, sites));
    return announcement.kind === 'failed' ? withPullRequest(asking, announcement, job, sites) : asking;
  }
  switch (announcement.kind) {
    case 'draft':
      return draftView(announcement, job, names);
    case 'started':
      return mode === 'mentions'
        ? say`⚙️ *On it.* Mention me here to steer; I'll post the pull request in this thread.`
        : say`⚙️ *On it.* Reply here to steer; I'll post the pull request in this thread.`;
    case 'continued':
      return say`⚙️ *Working again.* Somebody continued this job outside of Slack.`;
    case 'turn_ended':
      return turnEndedView(announcement, job, sites);
    case 'archived': {
      const news = say`⚪ *Archived.* A reply may still reopen it.`;
      return withPullRequest(news, announcement, job, sites);
    }
    case 'no_such_job': {
      const id = oneLine(job.watchedAgentJobId ?? '');
      return say`❌ *The agent has no job “${id}” in the ${oneLine(job.projectName)} project.* Check the id, then type \`/docs-agent watch\` with the right one; \`/docs-agent project=name watch job_123\` looks in another project.`;
    }
    case 'keeps_changing':
      return say`⚠️ *The agent keeps changing its answer;* I'll look again in ${duration(announcement.pauseMs)}.`;
    case 'pull_request':
      return latePullRequestView(announcement, job, sites);
    case 'trouble':
      return troubled(announcement);
    case 'recovered':
      return say`✅ *Back online.* Continuing.`;
    case 'recipe_skipped':
      return skippedView(announcement.recipe);
    case 'caught_up':
      return say`📬 *I was offline.* Picked up ${replies(announcement.count)}.`;
    case 'follow_up':
      return message(
        paragraph(mrkdwn`💬 *Reply* by ${nameIn(names, announcement.userId)}`),
        quotation(shownPrompt(announcement.text, names, FOLLOW_UP_MAX)),
      );
    case 'files_not_sent':
      return filesNotSent(announcement.files);
    case 'snippets_not_sent': {
      const lines = announcement.snippets.map(
        ({ name, problem }) => `${oneLine(unescapeMrkdwn(name))} · ${SNIPPET_PROBLEMS[problem]}`,
      );
      return message(
        paragraph(mrkdwn`📎 *Not sent* with the message:`),
        untrustedParagraph(lines.join('\n')),
      );
    }
    case 'pull_request_over': {
      const who = addressing(requestersOf(job));
      const { state, by } = announcement;
      const name = by === undefined ? '.*' : mrkdwn`* by ${asWritten(oneLine(by))}.`;
      return state === 'merged' ? say`✅ ${who}*Merged${name}` : say`⚪ ${who}*Closed without merging${name}`;
    }
    case 'muted':
      return say`🔇 *Muted by ${nameIn(names, announcement.userId)}.* Replies stay between people until \`unmute\`; mentions still reach the agent.`;
    case 'unmuted': {
      const afterwards = mode === 'mentions' ? ' In this channel, only mentions reach the agent.' : '';
      return say`🔔 *Unmuted by ${nameIn(names, announcement.userId)}.*${afterwards}`;
    }
    case 'notice_failed': {
      const channel = channelMention(announcement.channelId);
      return announcement.reason === NOT_SEEN
        ? say`❓ *Couldn't confirm the notice in ${channel}.* It may be there.`
        : say`⚠️ *Couldn't post in ${channel}:* ${whyRefused(announcement.reason)}. Invite me there, or change the notice channels in \`/docs-agent settings\`.`;
    }
  }
}

function troubled({ trouble, retryAtMs, words }: AnnouncementOf<'trouble'>): SlackMessage {
  switch (trouble) {
    case 'rate_limited':
      return say`⏳ *The agent's hourly limit is used up.* Your requests and replies are saved and continue ${moment(retryAtMs)}.`;
    case 'unreachable':
      return say`⏳ *Can't reach the agent.* Your requests and replies are saved and will continue automatically.`;
    case 'needs_admin':
      return say`⚠️ *An administrator needs to fix the connection to the agent.* ${asWritten(sentence(words))}Everything is saved and continues once it's fixed.`;
  }
}

/** The agent's words, as a sentence that ours can follow. */
function sentence(words: string | undefined): string {
  if (words === undefined) return '';
  const said = oneLine(words, WORDS_MAX);
  return /[.!?…]$/.test(said) ? `${said} ` : `${said}. `;
}

export const threadForgottenView = say`🗄️ *I no longer follow this thread.* Its job is no longer stored. Mention me to start another here.`;

const FILE_KINDS: Readonly<Record<FileKind, readonly [one: string, several: string]>> = {
  image: ['image', 'images'],
  video: ['video', 'videos'],
  sound: ['sound', 'sounds'],
  file: ['file', 'files'],
  forwarded: ['forwarded message without text', 'forwarded messages without text'],
  attachment: ['attachment without text', 'attachments without text'],
};

const SNIPPET_PROBLEMS: Readonly<Record<SnippetProblem, string>> = {
  unreadable: "Slack doesn't let me read it",
  no_text: "it isn't readable text",
  too_long: "it's too long for one message to the agent",
};

export function filesNotSent(files: readonly Unsent[]): SlackMessage {
  const kinds = Object.entries(FILE_KINDS).flatMap(([kind, [one, several]]) => {
    const alike = files.filter((file) => file.kind === kind);
    const names = alike.flatMap(({ name }) => (name === null ? [] : oneLine(unescapeMrkdwn(name))));
    const more = names.length > NAMES_MAX ? ', …' : '';
    const named = names.length === 0 ? '' : ` (${names.slice(0, NAMES_MAX).join(', ')}${more})`;
    return alike.length === 0 ? [] : `${counted(alike.length, one, several)}${named}`;
  });
  return say`📎 *Not sent:* ${kinds.join(', ')}. The agent takes text only.`;
}
