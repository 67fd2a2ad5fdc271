import type { FollowUpMode } from '../../../jobs/policy.ts';
import { type Mrkdwn, mrkdwn } from '../parts/mrkdwn.ts';

/** Labels of form fields. */
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

/** A channel's settings. */
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
