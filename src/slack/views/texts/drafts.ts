import { type Mrkdwn, mrkdwn } from '../parts/mrkdwn.ts';
import { withNotes } from '../parts/untrusted.ts';

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
