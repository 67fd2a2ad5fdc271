import { isPostedByApp, type MessageEvent, replyOf, type Written } from '../../messages/message-event.ts';
import { noJobInThreadView, sendAlongView } from '../../views/forms/compose.ts';
import { newMessagesOnlyView } from '../../views/help.ts';
import type { SlackMessage } from '../../views/parts/message.ts';
import { threadForgottenView } from '../../views/thread/announcement.ts';
import { noteRequest } from '../connection/request-log.ts';
import { authorsAlong } from '../forms/thread.ts';
import type { ListenerDeps } from '../listener.ts';
import { isAdmitted } from '../requests/door.ts';
import { isReplyToJob } from './take-reply.ts';

export interface WrittenAt {
  readonly channelId: string;
  /** Null: not in a thread. Slack shows nothing private in a thread without replies. */
  readonly threadTs: string | null;
  readonly userId: string;
  readonly keys: readonly string[];
}

/**
 * Answers a message privately where it was written, or (with `elsewhere`) in a direct message. An error
 * leaves the event unacknowledged, so Slack redelivers it: a doubled answer does less harm than a lost one.
 */
export async function answerWriter(
  deps: ListenerDeps,
  { keys, ...place }: WrittenAt,
  message: SlackMessage,
  elsewhere = message,
  /** Under which the answer is remembered. */
  answerKeys = keys,
): Promise<void> {
  const isKnown = await deps.store.transaction((tx) => tx.inboundRequests.isKnown([...keys, ...answerKeys]));
  noteRequest({ outcome: isKnown ? 'duplicate' : 'accepted' });
  if (isKnown) return;
  await deps.poster.replyPrivately(place, message, elsewhere);
  await deps.store.transaction((tx) => tx.inboundRequests.remember(answerKeys, deps.clock.now()));
}

/**
 * Answers a message to the bot in a thread without a job. Nothing of a thread goes to the agent before a
 * person has seen it.
 * @param answerTo the answer to words that are not a request; null: they are one
 */
export async function offerThread(
  deps: ListenerDeps,
  written: Written,
  answerTo: (written: Written) => Promise<SlackMessage | null>,
): Promise<void> {
  const { channelId, userId, ts, threadTs, isPostedByApp: byApp } = written;
  if (threadTs === null) return;
  const key = `mention:${deps.teamId}:${channelId}:${ts}`;
  const at = { channelId, userId, threadTs, keys: [key] };
  if (!(await isAdmitted(deps, { ...at, isPostedByApp: byApp }, key))) return;
  const answer = written.text === '' ? null : await answerTo(written);
  if (answer !== null) return answerWriter(deps, at, answer);
  const mentioned = { channelId, threadTs, messageTs: ts };
  const offer = sendAlongView(mentioned, await authorsAlong(deps, mentioned));
  await answerWriter(deps, at, offer, noJobInThreadView);
}

/** Tells a person who replies in the thread of a deleted job, once. A mention gets an offer instead. */
export async function answerInForgottenThread(deps: ListenerDeps, message: MessageEvent): Promise<void> {
  const found = replyOf(message, deps.botUserId);
  if (found === null || found.reply.mentionsBot) return;
  const { threadTs, reply } = found;
  const { teamId } = deps;
  const thread = { teamId, channelId: message.channel, threadTs };
  if (!(await deps.store.transaction((tx) => tx.retention.isPast(thread)))) return;
  const { userId } = reply;
  const keys = [`past_thread:${teamId}:${thread.channelId}:${threadTs}:${userId}`];
  const at = { channelId: thread.channelId, threadTs, userId, keys };
  if (await isAdmitted(deps, { ...at, isPostedByApp: isPostedByApp(message) }, null))
    await answerWriter(deps, at, threadForgottenView);
}

/**
 * Slack sends no mention event for a mention added by an edit: its author learns, once, that it starts
 * nothing. In a job's thread it is an edit like any other.
 */
export async function answerAddedMention(
  deps: ListenerDeps,
  message: MessageEvent & { readonly user: string },
): Promise<void> {
  const { channel: channelId, ts, thread_ts: rootTs = ts, user: userId } = message;
  const thread = { teamId: deps.teamId, channelId, threadTs: rootTs };
  if (await deps.store.transaction((tx) => isReplyToJob(tx, thread, ts, deps.clock.now()))) return;
  const key = `mention_by_edit:${deps.teamId}:${channelId}:${ts}`;
  const at = { channelId, userId, threadTs: rootTs === ts ? null : rootTs, keys: [key] };
  const writer = { ...at, isPostedByApp: isPostedByApp(message) };
  if (await isAdmitted(deps, writer, key)) await answerWriter(deps, at, newMessagesOnlyView);
}
