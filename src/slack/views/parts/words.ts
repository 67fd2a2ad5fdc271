import type { Job } from '../../../jobs/job.ts';
import type { FollowUpMode } from '../../../jobs/policy.ts';
import type { FileKind, SnippetProblem } from '../../../jobs/requests/attachments.ts';
import { asWritten, duration, type Mrkdwn, moment, mrkdwn, userMention } from './mrkdwn.ts';
import { oneLine, withNotes } from './untrusted.ts';

/** Words used in several places, other than a message's buttons (`buttons.ts`). */
export const labels = {
  askDocsAgent: 'Ask Docs Agent',
  start: 'Start',
  send: 'Send',
  save: 'Save',
  next: 'Next',
  /** Who asked for a job, if no person did. */
  recipe: (name: string) => `recipe ${name}`,
  workflow: 'a workflow',
  somebody: 'somebody',
  /** An app without a name. */
  someApp: 'an app',
  /** A pull request whose URL cannot become a link. */
  unlinked: (address: string) => `Pull request: ${address}`,
  /** Replaces a URL in the plain text. */
  longAddress: 'use the button; the address is too long',
} as const;

/** `1 reply`, `2 replies`. */
export function replies(count: number): string {
  return `${count} ${count === 1 ? 'reply' : 'replies'}`;
}

/** A request that waits for a person to start it. */
export const draftTexts = {
  news: (from: Mrkdwn): Mrkdwn => mrkdwn`📝 *Draft* from ${from}`,
  /** `by`: null: it started by itself. */
  recipe: (name: string, by: string | null): Mrkdwn =>
    by === null ? mrkdwn`recipe *${name}*` : mrkdwn`recipe *${name}*, run by ${by}`,
  /** Links to the message that it is about. */
  messageOf: (name: string): string => `${name}'s message`,
  withNotes: mrkdwn`*${withNotes}*`,
  /** How many messages of its thread go along. */
  included: (count: number): Mrkdwn =>
    mrkdwn`${count} ${count === 1 ? 'message' : 'messages'} of this thread included`,
  onlyThese: (names: string): Mrkdwn => mrkdwn`only ${names} can start it`,
  /** Besides the named ones. */
  others: (count: number): string => `${count} ${count === 1 ? 'other' : 'others'}`,
  notYours: (names: string): Mrkdwn => mrkdwn`Only ${names} can start this.`,
  notPosted: (channel: Mrkdwn, reason: string): Mrkdwn =>
    mrkdwn`⚠️ *Couldn't post a draft in ${channel}:* ${reason}. The draft wasn't kept; ask again once that's fixed.`,
  /** In lists, and for a late press. */
  waiting: mrkdwn`📝 *Draft*`,
  dropped: mrkdwn`⚪ *Not started*`,
  cutOff: (maySendAll: boolean): Mrkdwn =>
    mrkdwn`✂️ The request is too long for this field, so the end is cut off here.${maySendAll ? mrkdwn` *Start* below the draft sends all of it.` : ''}`,
} as const;

export const fields = {
  cancel: 'Cancel',
  close: 'Close',
  prompt: 'What should change in the docs?',
  reply: 'Your reply to the agent',
  promptMax: (max: string) => `${max} characters max here. For more, send me a message.`,
  project: 'Project',
  recipe: 'Or run a recipe',
  recipeChannel: "Posts in the recipe's channel.",
  channel: 'Channel',
  cardChannel: 'The card appears there. I must be a member.',
} as const;

export const composeTexts = {
  cutOff: mrkdwn`✂️ The message is too long for this field, so the end is cut off here. To send all of it, reply to it with \`@docs-agent …\` instead.`,
  notOpened: mrkdwn`⚠️ *Slack didn't open the form.* Please try again, or type your request: \`/docs-agent explain the rate limits\`.`,
  startAnother: 'Start another?',
} as const;

function messages(count: number): string {
  return count === 1 ? '1 message' : `${count} messages`;
}

/** Which messages of a thread go along. */
export const threadPreview = {
  /** `authors`: as people call them. */
  sendAlong: (count: number, authors: string): Mrkdwn =>
    mrkdwn`🧵 *Send this thread along?* ${messages(count)}, by ${authors}`,
  sendSince: (count: number, authors: string): Mrkdwn =>
    mrkdwn`🧵 *Send what was said since, too?* ${messages(count)}, by ${authors}`,
  and: 'and',
  others: (count: number) => (count === 1 ? '1 other' : `${count} others`),
  /** The thread could not be read yet. */
  sendAlongUnread: mrkdwn`🧵 *Send this thread along?*`,
  edited: (author: string): Mrkdwn =>
    mrkdwn`✏️ A message from ${author} was edited in the meantime. Choose the messages again.`,
  noJobElsewhere: mrkdwn`🧵 *There's no job in the thread where you mentioned me*, and Slack doesn't let me answer you there. Mention me outside that thread, or type \`/docs-agent explain the rate limits\`.`,
  reading: mrkdwn`⏳ Reading the thread…`,
  tooLong: mrkdwn`⚠️ *This thread has too many messages for me to read.* Ask outside the thread: \`/docs-agent explain the rate limits\`.`,
  notRead: mrkdwn`⚠️ *I couldn't read the thread.* Please try again, or ask outside the thread: \`/docs-agent explain the rate limits\`.`,
  changed: (author: string, text: string): Mrkdwn =>
    mrkdwn`✏️ A ticked message from ${author} was edited in the meantime: “${text}” Untick it, or close this form and choose the messages again.`,
  messages: 'Include these messages',
  laterMessages: 'Later messages',
  noOtherText: mrkdwn`There's no other text in this thread.`,
  leftOut: (count: number): Mrkdwn =>
    mrkdwn`${count} older ${count === 1 ? 'message is' : 'messages are'} left out.`,
  cutOff: mrkdwn`✂️ Your message is too long for this field, so the end is cut off here.`,
} as const;

export const settingsTexts = {
  title: 'Settings',
  intro: (channel: Mrkdwn): Mrkdwn => mrkdwn`For jobs in ${channel}, from now on.`,
  nextStep: 'Its settings come next.',
  mode: 'What goes to the agent',
  modes: {
    every_reply: "Every reply in a job's thread",
    mentions: 'Only replies that mention me',
  } satisfies Readonly<Record<FollowUpMode, string>>,
  window: 'Combine replies sent within',
  noWindow: 'Off: each reply goes out at once',
  notices: 'Announce pull requests in',
  noticesMax: (max: number) =>
    `At most ${max}, besides those set for all channels. I must be a member of each.`,
  saved: (channel: Mrkdwn): Mrkdwn => mrkdwn`✅ *Settings saved* for ${channel}. They apply from now on.`,
  replaced: (who: Mrkdwn, at: Mrkdwn): Mrkdwn =>
    mrkdwn`⚠️ ${who} saved other settings at ${at}, while your form was open. Yours replaced these:`,
  summary: {
    project: (name: string): Mrkdwn => mrkdwn`project ${name}`,
    modes: {
      every_reply: mrkdwn`every reply goes to the agent`,
      mentions: mrkdwn`only mentions go to the agent`,
    } satisfies Readonly<Record<FollowUpMode, Mrkdwn>>,
    window: (within: string): Mrkdwn => mrkdwn`replies sent within ${within} are combined`,
    noWindow: mrkdwn`each reply goes out at once`,
    notices: (channels: Mrkdwn): Mrkdwn => mrkdwn`notices in ${channels}`,
    noNotices: mrkdwn`no notice channels of its own`,
  },
  noChoice: mrkdwn`That's no longer available. Please choose again.`,
  tooManyNotices: (max: number): Mrkdwn =>
    mrkdwn`At most ${max} channels, public or private. Please choose fewer.`,
} as const;

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

const NAME_MAX = 100;

type Asked = Pick<Job, 'requesterId' | 'recipe' | 'origin'>;

/**
 * Who asked for the job: a person or app by name, a recipe, or a workflow. Null if Slack does not give the
 * name.
 */
export function askerOf(
  { requesterId, recipe, origin }: Asked,
  names: ReadonlyMap<string, string>,
): string | null {
  if (requesterId !== null) return names.get(requesterId) ?? null;
  if (recipe !== undefined) return labels.recipe(recipe);
  if (origin.kind === 'mention' && origin.app !== undefined) return origin.app.name;
  return origin.kind === 'workflow' ? labels.workflow : null;
}

/** The same with a mention of the person, for private messages. */
export function askerMention({ requesterId, recipe }: Asked): Mrkdwn {
  if (requesterId !== null) return userMention(requesterId);
  return mrkdwn`${recipe === undefined ? labels.somebody : oneLine(labels.recipe(recipe), NAME_MAX)}`;
}
