import type { Reply } from '../../jobs/event.ts';
import { mentionedUserIds, stripLeadingMention } from '../protocol/readable-text.ts';
import { attachedOf } from './attached.ts';
import { saidBy } from './said.ts';

/** A message event as far as it matters here. Everything in it comes from outside. */
export interface MessageEvent {
  readonly subtype?: string | undefined;
  readonly bot_id?: string | undefined;
  readonly user?: string | undefined;
  /** How a bot calls itself. */
  readonly username?: string | undefined;
  readonly text?: string | undefined;
  readonly channel: string;
  readonly ts: string;
  readonly thread_ts?: string | undefined;
  /** Who wrote the root of the thread; not always told. */
  readonly parent_user_id?: string | undefined;
  /** What came along, as Slack describes it. */
  readonly files?: unknown;
  readonly attachments?: unknown;
  readonly blocks?: unknown;
  readonly client_msg_id?: string | undefined;
  /** Only of a person's edit: Slack changes messages too, when it adds the preview of a link. */
  readonly edited?: { readonly ts?: string } | undefined;
}

/** An event that tells of another message: `message_changed` or `message_deleted`. */
export interface ChangeEvent {
  readonly subtype?: string | undefined;
  readonly channel: string;
  readonly message?: Omit<MessageEvent, 'channel'> | undefined;
  readonly previous_message?: Omit<MessageEvent, 'channel'> | undefined;
}

/** What a person can write as a reply; all other subtypes (joins, edits, bots' posts) are not replies. */
const HUMAN_SUBTYPES: ReadonlySet<string | undefined> = new Set([
  undefined,
  'file_share',
  'thread_broadcast',
]);

export interface ThreadReply {
  readonly threadTs: string;
  readonly reply: Reply;
}

/** The human reply in a thread that the event tells of, or null. */
export function replyOf(event: MessageEvent, botUserId: string | undefined): ThreadReply | null {
  const { user, ts, thread_ts: threadTs } = event;
  if (!isHuman(event, botUserId) || user === undefined) return null;
  if (threadTs === undefined || threadTs === ts) return null;
  const text = saidBy(event);
  return {
    threadTs,
    reply: {
      messageTs: ts,
      userId: user,
      text: botUserId === undefined ? text : stripLeadingMention(text, botUserId),
      editedTs: event.edited?.ts ?? null,
      mentionsBot: botUserId !== undefined && mentions(event, botUserId),
      attached: attachedOf(event),
    },
  };
}

/** In its own words: not in those of a message that is forwarded in it. */
function mentions({ text }: Pick<MessageEvent, 'text'>, userId: string): boolean {
  return mentionedUserIds(text ?? '').includes(userId);
}

/** Writes to bots, too, by no sign a bot itself, also to `users.info`. */
const SLACKBOT = 'USLACKBOT';

/** Whether a person wrote it, and not just did something. Of bots that only `users.info` tells, `Access` knows. */
export function isHuman(event: MessageEvent, botUserId: string | undefined): boolean {
  const { user } = event;
  if (user == null || user === '' || user === SLACKBOT) return false;
  return mayBeHuman(event) && user !== botUserId;
}

/** Of other messages, nothing more is read. */
export function mayBeHuman({ subtype, bot_id: botId }: Pick<MessageEvent, 'subtype' | 'bot_id'>): boolean {
  return HUMAN_SUBTYPES.has(subtype) && botId == null;
}

/** A reply that a person changed or deleted; `message` is the reply, as it is now or was last. */
export interface ReplyChange {
  readonly kind: 'edited' | 'deleted';
  readonly message: MessageEvent;
  readonly found: ThreadReply;
}

/** Whether the event tells of another message. */
export function isChange({ subtype }: Pick<ChangeEvent, 'subtype'>): boolean {
  return subtype === 'message_changed' || subtype === 'message_deleted';
}

/** The change of a human reply in a thread that the event tells of, or null. */
export function replyChangeOf(event: ChangeEvent, botUserId: string | undefined): ReplyChange | null {
  if (!isChange(event)) return null;
  const kind = event.subtype === 'message_deleted' ? 'deleted' : 'edited';
  const changed = kind === 'deleted' ? event.previous_message : event.message;
  if (changed === undefined || (kind === 'edited' && changed.edited?.ts === undefined)) return null;
  const message = { ...changed, channel: event.channel };
  const found = replyOf(message, botUserId);
  return found && { kind, message, found };
}

/** What a person has edited so that it mentions the bot now, and did not before; or null. */
export function mentionAddedIn(
  event: ChangeEvent,
  botUserId: string | undefined,
): (MessageEvent & { readonly user: string }) | null {
  const { subtype, channel, message: now, previous_message: before } = event;
  if (subtype !== 'message_changed' || now?.edited?.ts === undefined || before === undefined) return null;
  if (botUserId === undefined || !mentions(now, botUserId) || mentions(before, botUserId)) return null;
  const message = { ...now, channel };
  const { user } = message;
  return isHuman(message, botUserId) && user !== undefined ? { ...message, user } : null;
}

/** All the names under which Slack may deliver this message a second time. */
export function messageKeys(teamId: string, event: MessageEvent, eventId?: string): string[] {
  const keys = [`message:${teamId}:${event.channel}:${event.ts}`];
  if (eventId !== undefined) keys.push(`event:${teamId}:${eventId}`);
  if (event.client_msg_id !== undefined) keys.push(`client_msg:${teamId}:${event.client_msg_id}`);
  return keys;
}
