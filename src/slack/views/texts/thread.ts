import type { FileKind, SnippetProblem } from '../../../jobs/requests/attachments.ts';
import { duration } from '../parts/duration.ts';
import { asWritten, type Mrkdwn, moment, mrkdwn } from '../parts/mrkdwn.ts';
import { replies } from '../parts/words.ts';

/** The outcome of a turn, in the thread. Icon and mentions come first. */
export const turnTexts = {
  pullRequest: { icon: '🎉', words: 'Pull request ready' },
  anotherPullRequest: { icon: '🎉', words: 'Another pull request' },
  updated: { icon: '✅', words: 'Updated' },
  merged: { icon: '✅', words: 'Merged' },
  closed: { icon: '⚪', words: 'Closed without merging' },
  noPullRequest: {
    icon: '✅',
    words: 'Done, no pull request.',
    more: ' The agent may have found nothing to change, or published directly.',
  },
  took: (lasted: string): string => `took ${lasted}`,
  included: (count: number): string => `${replies(count)} included`,
  undelivered: (count: number): Mrkdwn => mrkdwn`⚠️ ${replies(count)} may not be included.`,
} as const;

/** What else there is to say about a job. */
export const threadTexts = {
  started: {
    every_reply: mrkdwn`⚙️ *On it.* Reply here to steer; I'll post the pull request in this thread.`,
    mentions: mrkdwn`⚙️ *On it.* Mention me here to steer; I'll post the pull request in this thread.`,
  },
  continued: mrkdwn`⚙️ *Working again.* Somebody continued this job outside of Slack.`,
  recovered: mrkdwn`✅ *Back online.* Continuing.`,
  archived: mrkdwn`⚪ *Archived.* A reply may still reopen it.`,
  caughtUp: (count: number): Mrkdwn => mrkdwn`📬 *I was offline.* Picked up ${replies(count)}.`,
  unreachable: mrkdwn`⏳ *Can't reach the agent.* Your requests and replies are saved and will continue automatically.`,
  rateLimited: (untilMs: number): Mrkdwn =>
    mrkdwn`⏳ *The agent's hourly limit is used up.* Your requests and replies are saved and continue ${moment(untilMs)}.`,
  moved: (channel: Mrkdwn): Mrkdwn =>
    mrkdwn`🔒 ${channel} is shared with another organisation now. Updates on your job come to you here:`,
  needsAdmin: (words: string): Mrkdwn =>
    mrkdwn`⚠️ *An administrator needs to fix the connection to the agent.* ${asWritten(words)}Everything is saved and continues once it's fixed.`,
  /** `by`: null: unknown. */
  merged: (who: Mrkdwn, by: string | null): Mrkdwn =>
    mrkdwn`✅ ${who}${by === null ? mrkdwn`*Merged.*` : mrkdwn`*Merged* by ${asWritten(by)}.`}`,
  closed: (who: Mrkdwn, by: string | null): Mrkdwn =>
    mrkdwn`⚪ ${who}${by === null ? mrkdwn`*Closed without merging.*` : mrkdwn`*Closed without merging* by ${asWritten(by)}.`}`,
  neverKnown: (agentJobId: string, projectName: string): Mrkdwn =>
    mrkdwn`❌ *The agent has no job “${agentJobId}” in the ${projectName} project.* Check the id, then type \`/docs-agent watch\` with the right one; \`/docs-agent project=name watch job_123\` looks in another project.`,
  keepsChanging: (pauseMs: number): Mrkdwn =>
    mrkdwn`⚠️ *The agent keeps changing its answer;* I'll look again in ${duration(pauseMs)}.`,
  noticeRefused: (channel: Mrkdwn, reason: string): Mrkdwn =>
    mrkdwn`⚠️ *Couldn't post in ${channel}:* ${reason}. Invite me there, or change the notice channels in \`/docs-agent settings\`.`,
  noticeUnclear: (channel: Mrkdwn): Mrkdwn =>
    mrkdwn`❓ *Couldn't confirm the notice in ${channel}.* It may be there.`,
  muted: (name: string): Mrkdwn =>
    mrkdwn`🔇 *Muted by ${name}.* Replies stay between people until \`unmute\`; mentions still reach the agent.`,
  unmuted: (name: string): Mrkdwn => mrkdwn`🔔 *Unmuted by ${name}.*`,
  onlyMentions: ' In this channel, only mentions reach the agent.',
  written: (name: string): Mrkdwn => mrkdwn`💬 *Reply* by ${name}`,
  filesNotSent: (counted: string): Mrkdwn => mrkdwn`📎 *Not sent:* ${counted}. The agent takes text only.`,
  snippetsNotSent: mrkdwn`📎 *Not sent* with the message:`,
  unposted: (reason: string): Mrkdwn =>
    mrkdwn`I couldn't post this in the thread, or couldn't confirm that it's there (${reason}):`,
  /** `why`: sentences. */
  kept: (why: Mrkdwn): Mrkdwn => mrkdwn`⏳ ${why} I'll post this in the thread once I can, for up to a week:`,
  unseen: mrkdwn`I can't tell whether this was posted in the thread:`,
  forgotten: mrkdwn`🗄️ *I no longer follow this thread.* Its job is no longer stored. Mention me to start another here.`,
} as const;

/** Why Slack refuses a post in a notice channel, by its error code. Others are shown as codes. */
export const refusedNotices: Readonly<Record<string, string>> = {
  not_in_channel: "I'm not in this channel",
  channel_not_found: "I can't see this channel",
  channel_is_shared: 'it is shared with another organisation',
  is_archived: 'it is archived',
  restricted_action: "I'm not allowed to post there",
};

/** What the agent cannot take, in singular and plural. */
export const fileKinds: Readonly<Record<FileKind, readonly [one: string, several: string]>> = {
  image: ['image', 'images'],
  video: ['video', 'videos'],
  sound: ['sound', 'sounds'],
  file: ['file', 'files'],
  forwarded: ['forwarded message without text', 'forwarded messages without text'],
  attachment: ['attachment without text', 'attachments without text'],
};

export const snippetProblems: Readonly<Record<SnippetProblem, string>> = {
  unreadable: "Slack doesn't let me read it",
  no_text: "it isn't readable text",
  too_long: "it's too long for one message to the agent",
};
