import type { Reply } from '../../jobs/event.ts';
import { type Attachments, seeFiles } from '../../jobs/requests/attachments.ts';
import { isBlank } from '../../jobs/requests/command.ts';
import { SLACKBOT } from '../protocol/ids.ts';
import { mentionedUserIds, stripLeadingMention } from '../protocol/slack-text.ts';
import { attachmentsIn } from './attachments.ts';
import { fieldsOf, stringOf } from './parts.ts';
import { saidBy } from './said.ts';

/** How far Slack's clock and ours may differ, when a time of ours is compared with a message's timestamp. */
export const CLOCK_SKEW_MS = 60_000;

/**
 * One day less than requests are remembered (`engine/retention-job.ts`): an older one may be an unnoticed
 * duplicate.
 */
const TAKEN_IN_FOR_MS = 29 * 86_400_000;

/** Whether a message of this time, in Slack's seconds, is too old to be processed. */
export function isTooOld(seconds: number, nowMs: number): boolean {
  return seconds * 1000 < nowMs - TAKEN_IN_FOR_MS;
}

/** The parts of a message event that matter here, all from outside. */
export interface MessageEvent {
  readonly subtype?: string | undefined;
  readonly bot_id?: string | undefined;
  readonly app_id?: string | undefined;
  /** Describes that app, in messages of its bot. */
  readonly bot_profile?: unknown;
  readonly user?: string | undefined;
  /** A bot's display name. */
  readonly username?: string | undefined;
  readonly text?: string | undefined;
  readonly channel: string;
  readonly ts: string;
  readonly thread_ts?: string | undefined;
  /** The author of the thread's root; not always given. */
  readonly parent_user_id?: string | undefined;
  readonly files?: unknown;
  readonly attachments?: unknown;
  readonly blocks?: unknown;
  readonly client_msg_id?: string | undefined;
  /** A person's edit only: Slack also changes messages to add a link's preview. */
  readonly edited?: { readonly ts?: string } | undefined;
}

/** An event about another message: `message_changed` or `message_deleted`. */
export interface ChangeEvent {
  readonly subtype?: string | undefined;
  readonly channel: string;
  readonly message?: Omit<MessageEvent, 'channel'> | undefined;
  readonly previous_message?: Omit<MessageEvent, 'channel'> | undefined;
}

/** Subtypes that a person can write as a reply; all others (joins, edits, bots' posts) are not replies. */
const HUMAN_SUBTYPES: ReadonlySet<string | undefined> = new Set([
  undefined,
  'file_share',
  'thread_broadcast',
]);

interface ThreadReply {
  readonly threadTs: string;
  readonly reply: Reply;
}

/** Null if the event is about no such reply. */
export function replyOf(event: MessageEvent, botUserId: string | undefined): ThreadReply | null {
  const { ts, thread_ts: threadTs } = event;
  const userId = writtenByPerson(event, botUserId);
  if (userId === null || threadTs === undefined || threadTs === ts) return null;
  return {
    threadTs,
    reply: {
      messageTs: ts,
      userId,
      text: stripLeadingMention(saidBy(event), botUserId),
      editedTs: event.edited?.ts ?? null,
      mentionsBot: mentionsBot(event, botUserId),
      attachments: attachmentsIn(event),
    },
  };
}

/** In its own words, not in a message forwarded in it. */
export function mentionsBot({ text }: Pick<MessageEvent, 'text'>, botUserId: string | undefined): boolean {
  return botUserId !== undefined && mentionedUserIds(text ?? '').includes(botUserId);
}

/**
 * The author, if it may be a person who wrote it, rather than did something; else null. `Access` knows the
 * bots that only `users.info` shows.
 */
export function writtenByPerson(event: MessageEvent, botUserId: string | undefined): string | null {
  const { user } = event;
  if (!user || user === SLACKBOT || user === botUserId) return null;
  return mayBeHuman(event) ? user : null;
}

/**
 * Nothing else is read of other messages. An app may have posted it with a person's token (`isPostedByApp`).
 */
export function mayBeHuman({
  subtype,
  bot_id: botId,
  user,
}: Pick<MessageEvent, 'subtype' | 'bot_id' | 'user'>): boolean {
  return HUMAN_SUBTYPES.has(subtype) && (botId == null || user != null);
}

/** An app posted it, with its own token or a person's: only its `user` tells which. */
export function isPostedByApp({ bot_id: botId }: Pick<MessageEvent, 'bot_id'>): boolean {
  return botId != null;
}

/**
 * The app that says something in the message, in its own name or (`isPostedByApp`) a person's: its id, and its
 * display name there. Null: none.
 */
export function appThatWrote(message: Partial<MessageEvent>) {
  const { subtype, bot_id: botId, app_id: appId, username } = message;
  const isSaid = subtype === 'bot_message' || HUMAN_SUBTYPES.has(subtype);
  if (!isSaid || botId == null) return null;
  const profile = fieldsOf(message.bot_profile);
  const id = appId ?? profile.app_id;
  if (typeof id !== 'string') return null;
  const name = [username, stringOf(profile.name)].find((one) => one && !isBlank(one));
  return { id, name: name ?? null };
}

/** A reply that a person changed or deleted; `message` is the current or last version. */
export interface ReplyChange {
  readonly kind: 'edited' | 'deleted';
  readonly message: MessageEvent;
  readonly found: ThreadReply;
}

export function isChange({ subtype }: Pick<ChangeEvent, 'subtype'>): boolean {
  return subtype === 'message_changed' || subtype === 'message_deleted';
}

/** The change of a human reply in a thread that the event is about, or null. */
export function replyChangeOf(event: ChangeEvent, botUserId: string | undefined): ReplyChange | null {
  if (!isChange(event)) return null;
  const kind = event.subtype === 'message_deleted' ? 'deleted' : 'edited';
  const changed = kind === 'deleted' ? event.previous_message : event.message;
  if (changed === undefined || (kind === 'edited' && changed.edited?.ts === undefined)) return null;
  const message = { ...changed, channel: event.channel };
  const found = replyOf(message, botUserId);
  return found && { kind, message, found };
}

/** A person's message that mentions the bot since its edit, or null. */
export function mentionAddedIn(
  event: ChangeEvent,
  botUserId: string | undefined,
): (MessageEvent & { readonly user: string }) | null {
  const { subtype, channel, message: now, previous_message: before } = event;
  if (subtype !== 'message_changed' || now?.edited?.ts === undefined || before === undefined) return null;
  if (!mentionsBot(now, botUserId) || mentionsBot(before, botUserId)) return null;
  const message = { ...now, channel };
  const user = writtenByPerson(message, botUserId);
  return user === null ? null : { ...message, user };
}

/** All names under which Slack may redeliver this message. */
export function messageKeys(teamId: string, event: MessageEvent, eventId?: string): string[] {
  const keys = [`message:${teamId}:${event.channel}:${event.ts}`];
  if (eventId !== undefined) keys.push(`event:${teamId}:${eventId}`);
  if (event.client_msg_id !== undefined) keys.push(`client_msg:${teamId}:${event.client_msg_id}`);
  return keys;
}

/** What a person wrote to the bot: a mention, or a direct message. */
export interface Written {
  readonly channelId: string;
  readonly userId: string;
  readonly ts: string;
  /** Its thread, or null. */
  readonly threadTs: string | null;
  /** As Slack delivered it, without the mention at its start. */
  readonly text: string;
  readonly attachments: Attachments;
  readonly isPostedByApp: boolean;
}

/** Null if it is no person's, or an edit: that starts nothing. */
export function writtenOf(event: MessageEvent, botUserId: string | undefined): Written | null {
  const { ts, thread_ts: threadTs } = event;
  const userId = writtenByPerson(event, botUserId);
  if (userId === null || event.edited !== undefined) return null;
  const attachments = attachmentsIn(event);
  return {
    channelId: event.channel,
    userId,
    ts,
    threadTs: threadTs === undefined || threadTs === ts ? null : threadTs,
    text: requestText(saidBy(event), attachments, botUserId),
    attachments,
    isPostedByApp: isPostedByApp(event),
  };
}

/** The request without the mention at its start. Snippets without a word become a request to read them. */
export function requestText(text: string, { snippets }: Attachments, botUserId: string | undefined): string {
  const own = stripLeadingMention(text, botUserId).trim();
  return own === '' && snippets.length > 0 ? seeFiles(snippets) : own;
}
