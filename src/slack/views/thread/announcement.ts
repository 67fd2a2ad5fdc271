import type { Announcement } from '../../../jobs/announcement.ts';
import type { Job } from '../../../jobs/job.ts';
import type { FollowUpMode } from '../../../jobs/policy.ts';
import { isNotInChannel, NOT_SEEN } from '../../protocol/absence.ts';
import { briefState } from '../parts/job-line.ts';
import { message, paragraph, quotation, type SlackMessage, smallQuotation } from '../parts/message.ts';
import { channelMention, mrkdwn, userMention } from '../parts/mrkdwn.ts';
import { pullRequest, pullRequestLink } from '../parts/pull-request.ts';
import {
  endedLine,
  finishedLine,
  line,
  noSuchJobLine,
  otherStatusLine,
  troubleLine,
} from '../parts/state.ts';
import { oneLine, promptTitle, quotedPrompt } from '../parts/untrusted.ts';
import { followUps, replyTo, signs } from '../parts/words.ts';
import { filesNotSent, snippetsNotSent } from './attached.ts';
import {
  createRejected,
  createUnknown,
  failed,
  followUpButton,
  longRunning,
  messageRejected,
  messageUnknown,
  runAgain,
} from './offers.ts';

const FOLLOW_UP_MAX = 2500;
const REASON_MAX = 100;
const WORDS_MAX = 300;
const NAME_MAX = 100;

/**
 * A message of its own in the job's thread.
 * @param names Slack ids to names, for the mentions in the prompt, and for who did what is told
 */
export function announcementView(
  announcement: Announcement,
  job: Job,
  names: ReadonlyMap<string, string>,
  mode: FollowUpMode = 'every_reply',
): SlackMessage {
  switch (announcement.kind) {
    case 'started':
      return started(announcement.turn, mode);
    case 'continued':
      return message(
        paragraph(
          mrkdwn`${signs.working.icon} *Working again.* Somebody continued this job outside of Slack.`,
        ),
      );
    case 'finished':
      return finished(announcement.files, job, mode);
    case 'failed':
      return failed(job);
    case 'archived':
      return message(paragraph(line(signs.archived, mrkdwn`a reply is still tried once`)));
    case 'vanished':
      return message(paragraph(endedLine('vanished', null, mode)), ...runAgain(job));
    case 'no_such_job':
      return noSuchAgentJob(job);
    case 'other_status':
      return message(paragraph(otherStatusLine(announcement.status)));
    case 'pull_request':
      return pullRequestNews(announcement, job, names);
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
    case 'long_running':
      return longRunning(job, announcement);
    case 'follow_up':
      return written(announcement, names);
    case 'files_not_sent':
      return filesNotSent(announcement.files);
    case 'snippets_not_sent':
      return snippetsNotSent(announcement.snippets);
    case 'muted':
    case 'unmuted':
      return muting(announcement, names, mode);
    case 'notice_failed':
      return noticeFailed(announcement.channelId, announcement.reason);
  }
}

function noSuchAgentJob(job: Job): SlackMessage {
  return message(
    paragraph(
      mrkdwn`${noSuchJobLine(job)}. Check the id, then type \`/docs-agent watch\` with the right one; \`/docs-agent project=name watch job_123\` looks in another project.`,
    ),
  );
}

function caughtUp(count: number): SlackMessage {
  const they = count === 1 ? 'It is taken' : 'They are taken';
  return message(
    paragraph(mrkdwn`📬 I was away, and found *${followUps(count)}* that came meanwhile. ${they} up now.`),
  );
}

function started(turn: number, mode: FollowUpMode): SlackMessage {
  const news = turn > 1 ? mrkdwn`on turn ${turn}` : mrkdwn`${replyTo('send a follow-up', mode)}`;
  return message(paragraph(line(signs.working, news)));
}

function finished(files: 'new' | 'same' | 'none', job: Job, mode: FollowUpMode): SlackMessage {
  const prLink = job.agentJob?.prLink;
  switch (files) {
    case 'new':
      return message(paragraph(finishedLine(mode)));
    case 'same':
      return message(
        paragraph(finishedLine(mode, mrkdwn`the pull request is the same as before`)),
        ...(prLink ? pullRequest(prLink) : []),
      );
    case 'none':
      return message(paragraph(endedLine('completed', null, mode)), followUpButton(job));
  }
}

function written(
  { userId, text }: Extract<Announcement, { kind: 'follow_up' }>,
  names: ReadonlyMap<string, string>,
): SlackMessage {
  return message(
    paragraph(mrkdwn`💬 *Follow-up* by ${userMention(userId)}`),
    quotation(quotedPrompt(text, names, FOLLOW_UP_MAX)),
  );
}

function muting(
  { kind, userId }: Extract<Announcement, { kind: 'muted' | 'unmuted' }>,
  names: ReadonlyMap<string, string>,
  mode: FollowUpMode,
): SlackMessage {
  const name = oneLine(names.get(userId) ?? 'somebody', NAME_MAX);
  const afterwards = mode === 'mentions' ? ' In this channel, only mentions reach the agent.' : '';
  return message(
    paragraph(
      kind === 'muted'
        ? mrkdwn`🔇 *Muted by ${name}.* Replies stay between people until \`unmute\`; mentions still reach the agent.`
        : mrkdwn`🔔 *Unmuted by ${name}.*${afterwards}`,
    ),
  );
}

function pullRequestNews(
  { url, changed }: Extract<Announcement, { kind: 'pull_request' }>,
  job: Job,
  names: ReadonlyMap<string, string>,
): SlackMessage {
  const requester = userMention(job.requesterId);
  const news = changed
    ? mrkdwn`🎉 ${requester} there is *another pull request*`
    : mrkdwn`🎉 ${requester} the *pull request* is ready`;
  const address = pullRequestLink(url);
  return message(
    paragraph(address === null ? mrkdwn`${news}.` : mrkdwn`${news}: ${address}`),
    smallQuotation(promptTitle(job.prompt, names)),
    ...pullRequest(url, { style: 'primary', isSpoken: address === null }),
  );
}

function troubled({ trouble, retryAtMs, words }: Extract<Announcement, { kind: 'trouble' }>): SlackMessage {
  switch (trouble) {
    case 'rate_limited':
    case 'unreachable':
      return message(
        paragraph(mrkdwn`${troubleLine(trouble, retryAtMs)}. Nothing is lost: it goes on by itself.`),
      );
    case 'needs_admin':
      return message(
        paragraph(
          mrkdwn`⚠️ *An administrator needs to fix the connection to the agent.* ${sentence(words)}Everything is saved and continues once it's fixed.`,
        ),
      );
  }
}

/** The agent's words, to be followed by ours. */
function sentence(words: string | undefined): string {
  if (words === undefined) return '';
  const said = oneLine(words, WORDS_MAX);
  return /[.!?…]$/.test(said) ? `${said} ` : `${said}. `;
}

function noticeFailed(channelId: string, reason: string): SlackMessage {
  if (reason === NOT_SEEN) {
    return message(
      paragraph(mrkdwn`❓ *Couldn't confirm the notice* in ${channelMention(channelId)}: it may be there.`),
    );
  }
  const hint = isNotInChannel(reason)
    ? 'invite the bot there with /invite @docs-agent'
    : oneLine(reason, REASON_MAX);
  return message(paragraph(mrkdwn`⚠️ *Notice not posted* in ${channelMention(channelId)} · ${hint}`));
}

/**
 * For who pressed a button that does nothing any more.
 * @param label the button's
 */
export function tooLateView(label: string, job: Job): SlackMessage {
  return message(
    paragraph(
      mrkdwn`⌛ *Too late for “${label}”*: it was pressed before, or the job has gone on since. Now: ${briefState(job)}`,
    ),
  );
}

/** For who pressed a button of a job that was deleted. */
export function jobForgottenView(): SlackMessage {
  return message(
    paragraph(
      mrkdwn`🗄️ *This job is not kept any more*, so nothing was done. Jobs are deleted some time after they are over. Ask again with \`/docs-agent\`.`,
    ),
  );
}

/** For whoever sent a form that was made for somebody else, or for another channel. */
export function notYourFormView(): SlackMessage {
  return message(
    paragraph(
      mrkdwn`That's already settled: this form was made for somebody else or for another channel. Press the button in the thread again.`,
    ),
  );
}

/** For who wrote in the thread of a job that was deleted. */
export function threadForgottenView(): SlackMessage {
  return message(
    paragraph(
      mrkdwn`🗄️ *I do not follow this thread any more*: its job is not kept. Jobs are deleted some time after they are over. To start another here, mention me.`,
    ),
  );
}
