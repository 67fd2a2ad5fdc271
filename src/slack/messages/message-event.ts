import type { JobEvent } from '#jobs/event.ts';
import { seeFiles } from '#jobs/requests/attachments.ts';
import { isBlank, judgePrompt, type Projects, parseProjectPrefix } from '#jobs/requests/command.ts';
import { SLACKBOT } from '../protocol/ids.ts';
import { mentionedIds, mentionedUserIds, readableText, stripLeadingMention } from '../protocol/slack-text.ts';
import { attachmentsIn, attachmentsInWords } from './attachments.ts';
import { fieldsOf, listOf, stringOf } from './blocks.ts';
import { type MessageContent, textOf } from './said.ts';

/** Slack's clock stamps messages and may differ from ours. */
export const CLOCK_SKEW_MS = 60_000;

/** Requests are remembered for a day longer (`engine/sweeps.ts`). */
const PROCESSED_FOR_MS = 29 * 86_400_000;

export function isTooOld(seconds: number, nowMs: number): boolean {
  return seconds * 1000 < nowMs - PROCESSED_FOR_MS;
}

/** Untrusted. */
export type MessageEvent = MessageContent &
  Readonly<{
    subtype?: string;
    app_id?: string;
    /** Describes the app, in messages of its bot. */
    bot_profile?: unknown;
    user?: string;
    username?: string;
    channel: string;
    ts: string;
    metadata?: unknown;
    thread_ts?: string;
    /** The root's author; not always present. */
    parent_user_id?: string;
    client_msg_id?: string;
    /** Slack also changes messages to add a link preview, without `edited`. */
    edited?: { readonly ts?: string };
  }>;

export type ChangeEvent = Readonly<{
  subtype?: string;
  channel: string;
  message?: Omit<MessageEvent, 'channel'>;
  previous_message?: Omit<MessageEvent, 'channel'>;
}>;

/** Excludes joins, edits and bots' posts. */
const HUMAN_SUBTYPES = new Set([undefined, 'file_share', 'thread_broadcast']);

/** Null: no person's reply. */
export function replyOf(event: MessageEvent, botUserId: string) {
  const userId = writtenByPerson(event, botUserId);
  const threadTs = threadOf(event);
  if (userId === null || threadTs === null) return null;
  return {
    threadTs,
    reply: {
      messageTs: event.ts,
      userId,
      text: stripLeadingMention(textOf(event), botUserId),
      editedTs: event.edited?.ts ?? null,
      mentionsBot: mentionsBot(event, botUserId),
      attachments: attachmentsIn(event),
    },
  };
}

/** Null at the top level. */
export function threadOf({ ts, thread_ts: threadTs = ts }: MessageEvent): string | null {
  return threadTs === ts ? null : threadTs;
}

/** Ignores forwarded messages. */
export function mentionsBot({ text = '' }: MessageContent, botUserId: string): boolean {
  return mentionedUserIds(text).includes(botUserId);
}

/** Null: no person's. `Access` knows more bots. */
export function writtenByPerson(event: MessageEvent, botUserId: string): string | null {
  const { user } = event;
  if (!user || user === SLACKBOT || user === botUserId) return null;
  return mayBeHuman(event) ? user : null;
}

/** May also be an app with a person's token: see `isPostedByApp`. */
export function mayBeHuman({ subtype, bot_id: botId, user }: Partial<MessageEvent>): boolean {
  return HUMAN_SUBTYPES.has(subtype) && (botId == null || user != null);
}

/** With its own or a person's token. */
export function isPostedByApp({ bot_id: botId }: MessageContent): boolean {
  return botId != null;
}

export function appThatWrote(message: Partial<MessageEvent>) {
  const { subtype, app_id: appId, username } = message;
  const isSaid = subtype === 'bot_message' || HUMAN_SUBTYPES.has(subtype);
  if (!isSaid || !isPostedByApp(message)) return null;
  const profile = fieldsOf(message.bot_profile);
  const id = appId ?? profile.app_id;
  if (typeof id !== 'string') return null;
  const name = [username, stringOf(profile.name)].find((one) => one && !isBlank(one));
  return { id, name: name ?? null };
}

export function isChange({ subtype }: Pick<ChangeEvent, 'subtype'>): boolean {
  return subtype === 'message_changed' || subtype === 'message_deleted';
}

/** `message` is the current or last version. */
export type Change = Exclude<ReturnType<typeof changeIn>, null>;

/** Null: neither an edit nor a deletion. */
export function changeIn({ subtype, channel, message: now, previous_message: before }: ChangeEvent) {
  // A deleted message with replies leaves a tombstone.
  const isDeleted = subtype === 'message_deleted' || now?.subtype === 'tombstone';
  const changed = isDeleted ? before : now;
  if (changed === undefined || (!isDeleted && changed.edited?.ts === undefined)) return null;
  return { isDeleted, message: { ...changed, channel }, before };
}

export function messageKeys(teamId: string, event: MessageEvent, eventId?: string): string[] {
  const keys = [`message:${teamId}:${event.channel}:${event.ts}`];
  if (eventId !== undefined) keys.push(`event:${teamId}:${eventId}`);
  if (event.client_msg_id !== undefined) keys.push(`client_msg:${teamId}:${event.client_msg_id}`);
  return keys;
}

export type Written = Exclude<ReturnType<typeof writtenOf>, null>;

/** Null: no person's, or an edit, which starts nothing. */
export function writtenOf(event: MessageEvent, botUserId: string) {
  if (writtenByPerson(event, botUserId) === null || event.edited !== undefined) return null;
  return { ...writerOf(event), ts: event.ts, ...requestIn(event, botUserId) };
}

export function writerOf(event: MessageEvent) {
  const { channel: channelId, user: userId = '' } = event;
  return { channelId, userId, threadTs: threadOf(event), isPostedByApp: isPostedByApp(event) };
}

/** Without the leading mention. Snippets without text become a request to read them. */
export function requestIn(message: MessageContent, botUserId: string) {
  const attachments = attachmentsIn(message);
  const own = stripLeadingMention(textOf(message), botUserId).trim();
  const { snippets } = attachments;
  return { text: own === '' && snippets.length > 0 ? seeFiles(snippets) : own, attachments };
}

type Asked = Readonly<{
  userId: string;
  botUserId: string;
  projects: Projects;
  promptMaxLength: number;
}>;

/** Null: no valid request. The project stays. */
export function rewrittenRequest(
  message: MessageEvent,
  { userId, botUserId, projects, promptMaxLength }: Asked,
): JobEvent | null {
  const { text, attachments } = requestIn(message, botUserId);
  const { prompt } = parseProjectPrefix(text, projects, projects[0]);
  if (judgePrompt(readableText(prompt), promptMaxLength).kind !== 'ok') return null;
  const editedTs = message.edited?.ts ?? null;
  const reply = { messageTs: message.ts, userId, text: prompt, editedTs, mentionsBot: true, attachments };
  return { type: 'request_rewritten', reply };
}

const OFFERED_MAX = 50;
const SPOKEN = new Set([...HUMAN_SUBTYPES, 'bot_message', 'me_message']);

export function offeredMessages(messages: readonly MessageEvent[], aboutTs: string, botUserId: string) {
  const said = messages.filter(
    (message) =>
      SPOKEN.has(message.subtype) &&
      message.user !== botUserId &&
      message.ts !== aboutTs &&
      !isBlank(saidIn(message)),
  );
  return { offered: said.slice(-OFFERED_MAX), leftOut: Math.max(said.length - OFFERED_MAX, 0) };
}

export function peopleIn(messages: readonly MessageEvent[]): string[] {
  const authors = messages.flatMap(({ user }) => user ?? []);
  return [...new Set([...authors, ...messages.flatMap((message) => mentionedIds(saidIn(message)))])];
}

export function saidIn(message: MessageContent, botUserId = ''): string {
  const said = stripLeadingMention(textOf(message), botUserId).trim();
  const names = attachmentsInWords(attachmentsIn(message));
  return isBlank(said) && names !== '' ? `[${names}]` : said;
}

/** Marks the posts of the bot, so that they can be found. */
export const METADATA_EVENT_TYPE = 'docs_agent_post';

export const callBlockId = (callId: string) => `call:${callId}`;

export function isPostOf({ metadata, blocks }: Partial<MessageEvent>, callId: string): boolean {
  const { event_type: type, event_payload: payload } = fieldsOf(metadata);
  const isMarked = type === METADATA_EVENT_TYPE && fieldsOf(payload).call_id === callId;
  return isMarked || listOf(blocks).some((block) => fieldsOf(block).block_id === callBlockId(callId));
}
