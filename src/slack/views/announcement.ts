import type { Announcement } from '../../jobs/announcement.ts';
import type { Job } from '../../jobs/job.ts';
import { message, paragraph, type SlackMessage, smallPrint } from './message.ts';
import { channelMention, mrkdwn, userMention } from './mrkdwn.ts';
import { createRejected, createUnknown, failed, messageRejected, messageUnknown } from './offers.ts';
import { pullRequest } from './pull-request.ts';
import { endedLine, line, otherStatusLine, troubleLine } from './state.ts';
import { oneLine, promptTitle } from './untrusted.ts';
import { askForChanges, followUps, signs } from './words.ts';

const REASON_MAX = 100;

/**
 * A message of its own in the job's thread.
 * @param names Slack ids to names, for the mentions in the prompt
 */
export function announcementView(
  announcement: Announcement,
  job: Job,
  names: ReadonlyMap<string, string>,
): SlackMessage {
  switch (announcement.kind) {
    case 'started':
      return started(announcement.turn);
    case 'finished':
      return finished(announcement.files, job);
    case 'failed':
      return failed(job);
    case 'archived':
      return message(paragraph(mrkdwn`${line(signs.archived)}. A reply is still tried once.`));
    case 'vanished':
      return message(paragraph(endedLine('vanished', null)));
    case 'other_status':
      return message(paragraph(otherStatusLine(announcement.status)));
    case 'pull_request':
      return message(
        paragraph(pullRequestNews(job.requesterId, announcement.changed)),
        smallPrint(promptTitle(job.prompt, names)),
        pullRequest(announcement.url, 'primary'),
      );
    case 'trouble':
      return troubled(announcement);
    case 'recovered':
      return message(paragraph(mrkdwn`👍 *Going on* · the agent API answers again.`));
    case 'create_rejected':
      return createRejected(job, announcement.message);
    case 'create_unknown':
      return createUnknown(job, announcement.callId);
    case 'message_rejected':
      return messageRejected(job, announcement);
    case 'message_unknown':
      return messageUnknown(job, announcement);
    case 'caught_up':
      return caughtUp(announcement.count);
    case 'notice_failed':
      return noticeFailed(announcement.channelId, announcement.reason);
  }
}

function caughtUp(count: number): SlackMessage {
  const they = count === 1 ? 'It is taken' : 'They are taken';
  return message(
    paragraph(mrkdwn`📬 I was away, and found *${followUps(count)}* that came meanwhile. ${they} up now.`),
  );
}

function started(turn: number): SlackMessage {
  const news = turn > 1 ? mrkdwn`on your follow-up` : mrkdwn`reply in this thread to send a follow-up`;
  return message(paragraph(line(signs.working, news)));
}

function finished(files: 'new' | 'same' | 'none', job: Job): SlackMessage {
  const prLink = job.agentJob?.prLink;
  switch (files) {
    case 'new':
      return message(paragraph(mrkdwn`${line(signs.finished)}. ${askForChanges}.`));
    case 'same':
      return message(
        paragraph(mrkdwn`${line(signs.finished)}, the pull request is the same as before. ${askForChanges}.`),
        ...(prLink ? [pullRequest(prLink)] : []),
      );
    case 'none':
      return message(paragraph(mrkdwn`${endedLine('completed', null)}. ${askForChanges}.`));
  }
}

function pullRequestNews(requesterId: string, changed: boolean) {
  return mrkdwn`🎉 ${userMention(requesterId)} the *pull request* is ${changed ? 'updated' : 'ready'}.`;
}

function troubled({ trouble, retryAtMs }: Extract<Announcement, { kind: 'trouble' }>): SlackMessage {
  const state = troubleLine(trouble, retryAtMs);
  switch (trouble) {
    case 'rate_limited':
    case 'unreachable':
      return message(paragraph(mrkdwn`${state}. Nothing is lost: it goes on by itself.`));
    case 'needs_admin':
      return message(
        paragraph(mrkdwn`${state}.`),
        smallPrint(
          mrkdwn`The agent API refuses the key, or does not know the project: an administrator must act.`,
        ),
      );
  }
}

function noticeFailed(channelId: string, reason: string): SlackMessage {
  const mustBeInvited = reason === 'not_in_channel' || reason === 'channel_not_found';
  const hint = mustBeInvited ? 'invite the bot there with /invite @docs-agent' : oneLine(reason, REASON_MAX);
  return message(paragraph(mrkdwn`⚠️ *Notice not posted* in ${channelMention(channelId)} · ${hint}`));
}
