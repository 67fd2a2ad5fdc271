import type { AllMiddlewareArgs, SlackEventMiddlewareArgs } from '@slack/bolt';
import { applyEvent } from '../../../engine/apply-event.ts';
import type { JobEvent } from '../../../jobs/event.ts';
import { intentOf } from '../../../jobs/requests/intent.ts';
import type { Thread } from '../../../store/store.ts';
import {
  appThatWrote,
  type ChangeEvent,
  CLOCK_SKEW_MS,
  isChange,
  isPostedByApp,
  type MessageEvent,
  mayBeHuman,
  mentionAddedIn,
  mentionsBot,
  messageKeys,
  replyChangeOf,
  type Written,
  writtenByPerson,
  writtenOf,
} from '../../messages/message-event.ts';
import { rewrittenRequest } from '../../messages/rewritten-request.ts';
import { typedOnlyView } from '../../views/help.ts';
import type { SlackMessage } from '../../views/parts/message.ts';
import { refusalView } from '../../views/refusals.ts';
import { filesNotSent } from '../../views/thread/announcement.ts';
import { isRoomForDraft } from '../../workspace/early-replies.ts';
import { answerInWords, helpAnswer } from '../commands/command.ts';
import { doctorAnswer } from '../commands/doctor.ts';
import { leaveRequest, noteRequest, type RequestNote } from '../connection/request-log.ts';
import { offerSaidSince } from '../forms/said-since.ts';
import type { ListenerDeps } from '../listener.ts';
import { isAdmitted } from '../requests/door.ts';
import { type RawRequest, startJob } from '../requests/start-job.ts';
import { answerAddedMention, answerInForgottenThread, answerWriter, offerThread } from './answers.ts';
import { changeReply, takeReply } from './take-reply.ts';

type Args = SlackEventMiddlewareArgs<'message' | 'app_mention'> & AllMiddlewareArgs;

/**
 * Routes all messages. An error leaves the event unacknowledged, so Slack redelivers it.
 *
 * |                  | at the top level    | in a thread                               |
 * | mention          | starts a job        | a reply to its job; without one: an offer |
 * | direct message   | starts a job        | a reply to its job; without one: an offer |
 * | other message    | is ignored          | a reply to its job; once: that it is gone |
 * | edit or deletion | of a mention: a tip | changes the reply                         |
 * | a listed app's   | makes a draft       | makes a draft, unless there is a job      |
 *
 * A message that mentions the bot arrives twice, in either order, as `app_mention` and as `message`; one may
 * lack attachments, or never come.
 */
export async function message(deps: ListenerDeps, { event, body, context }: Args): Promise<void> {
  const isDirect = event.type === 'message' && event.channel_type === 'im';
  const said = event as MessageEvent & ChangeEvent;
  const { bot_id: by, app_id: app } = said.message ?? said.previous_message ?? said;
  // Its own, with any of its tokens.
  if (by === deps.botId || (app !== undefined && app === body.api_app_id)) return;
  const delivery = { isDirect, retryNum: context.retryNum };
  if (isChange(said)) return takeChange(deps, said, delivery);
  const keys = messageKeys(deps.teamId, said, body.event_id);
  const [key = ''] = keys;
  const isSpokenTo = isDirect || event.type === 'app_mention' || mentionsBot(said, deps.botUserId);
  const takeIn = () => takeMessage(deps, said, { ...delivery, keys, isSpokenTo });
  if (event.type === 'app_mention') {
    return mayBeHuman(said) ? deps.twinEvents.ofMention(key, takeIn) : takeIn();
  }
  return isSpokenTo && !isDirect ? deps.twinEvents.ofMessage(key, takeIn) : takeIn();
}

interface Delivery {
  readonly isDirect: boolean;
  readonly retryNum: number | undefined;
}

interface Spoken extends Delivery {
  readonly keys: readonly string[];
  /** It mentions the bot, or is a direct message. */
  readonly isSpokenTo: boolean;
}

async function takeMessage(
  deps: ListenerDeps,
  said: MessageEvent,
  { keys, isDirect, isSpokenTo, retryNum }: Spoken,
): Promise<void> {
  const { botUserId } = deps;
  if (isSpokenTo && !isDirect && (await takeAppMention(deps, said, keys))) return;
  const written = isSpokenTo ? writtenOf(said, botUserId) : null;
  if (said.thread_ts === undefined || said.thread_ts === said.ts) {
    if (written !== null) await startFromMessage(deps, written, keys, isDirect);
    return;
  }
  const owner = await takeReply(deps, said, keys);
  if (owner !== null && typeof owner === 'object' && isSpokenTo && !isDirect) {
    await offerSaidSince(deps, said, owner.jobId);
  }
  const isRootByBot = said.parent_user_id === botUserId;
  // A mention in a people's thread is answered at once: it may well be the first.
  const mayBeLeft = !isSpokenTo || isDirect || isRootByBot;
  if (typeof owner === 'string' && mayBeLeft) {
    const thread = { teamId: deps.teamId, channelId: said.channel, threadTs: said.thread_ts };
    if (await leaveToOthers(deps, thread, isRootByBot, retryNum)) return;
  }
  if (!isSpokenTo) {
    if (owner === 'foreign') await answerInForgottenThread(deps, said);
    return;
  }
  // This thread may be that of a card being posted, or anybody's.
  const rootUserId = said.parent_user_id ?? (isDirect ? botUserId : undefined);
  const mayBeElsewhere = owner === 'opening' && rootUserId !== botUserId;
  if (written !== null && (owner === 'foreign' || mayBeElsewhere)) {
    await offerThread(deps, written, (one) => answerTo(deps, one));
  }
}

async function takeChange(
  deps: ListenerDeps,
  event: ChangeEvent,
  { isDirect, retryNum }: Delivery,
): Promise<void> {
  const { botUserId } = deps;
  await changeRequest(deps, event, isDirect);
  const change = replyChangeOf(event, botUserId);
  if (change !== null && (await changeReply(deps, change)) === 'foreign') {
    const { message, found } = change;
    const thread = { teamId: deps.teamId, channelId: message.channel, threadTs: found.threadTs };
    if (await leaveToOthers(deps, thread, message.parent_user_id === botUserId, retryNum)) return;
  }
  const added = isDirect ? null : mentionAddedIn(event, botUserId);
  if (added !== null) await answerAddedMention(deps, added);
}

/** The answer to words that are not a request; null: they are one, or need a question. */
async function answerTo(
  deps: ListenerDeps,
  { channelId, userId, text, attachments }: Written,
): Promise<SlackMessage | null> {
  const sight = { teamId: deps.teamId, userId, channelId };
  const intent = intentOf(text);
  const command = intent.kind === 'command' ? intent.command : null;
  switch (command?.kind) {
    case 'compose':
      return attachments.others.length > 0 ? filesNotSent(attachments.others) : helpAnswer(deps, userId);
    case 'doctor':
      return doctorAnswer(deps, sight);
    case 'report':
    case 'settings':
    case 'watch':
      return typedOnlyView(text.trim());
    case 'run':
      // Without recipes, this is a request like any other.
      return deps.recipesOf(deps.teamId).length === 0 ? null : typedOnlyView(text.trim());
    default:
      // A text with a file is a request about that file.
      return command === null && attachments.snippets.length > 0 ? null : answerInWords(deps, sight, intent);
  }
}

/** A top-level message to the bot starts a job in its own thread, or is answered privately. */
async function startFromMessage(
  deps: ListenerDeps,
  written: Written,
  keys: readonly string[],
  isDirect: boolean,
): Promise<void> {
  const { channelId, userId, ts, text, attachments, isPostedByApp } = written;
  const at = { channelId, userId, threadTs: null, keys };
  if (!(await isAdmitted(deps, { ...at, isPostedByApp }, `message:${channelId}:${ts}`))) return;
  const answer = await answerTo(deps, written);
  // A text that seems empty may come from the lesser of two events: the request is still to come.
  const known = text === '' ? keys.map((key) => `bare_${key}`) : keys;
  if (answer !== null) return answerWriter(deps, at, answer, answer, known);
  const request: RawRequest = {
    teamId: deps.teamId,
    channelId,
    requesterId: userId,
    origin: { kind: isDirect ? 'direct_message' : 'mention' },
    text,
    attachments,
    project: null,
    responseUrl: null,
    thread: { threadTs: ts, lastTs: ts },
    requestTs: ts,
    mayBeSlip: true,
  };
  const outcome = await startJob(deps, request, { keys, isAnswered: false });
  if (outcome.kind === 'refused') await answerWriter(deps, at, refusalView(outcome.refusal));
}

/**
 * Processes a message in which an app mentions the bot, once; for listed apps, it becomes a draft. Returns
 * whether the author is an app. Throws SlackCallError if Slack does not say.
 */
async function takeAppMention(
  deps: ListenerDeps,
  said: MessageEvent,
  keys: readonly string[],
): Promise<boolean> {
  const app = appThatWrote(said);
  const { channel: channelId, user, ts, thread_ts: threadTs = ts, edited } = said;
  if (app === null || !(await deps.access.admitsApp(app.id, channelId))) return false;
  if (user !== undefined && mayBeHuman(said) && (await deps.access.isPerson(user, true))) return false;
  const { teamId, store, clock, log } = deps;
  const thread = { teamId, channelId, threadTs };
  const subject = `${teamId}:${channelId}:${ts}`;
  const outcome = await store.transaction(async (tx): Promise<RequestNote['outcome']> => {
    const nowMs = clock.now();
    if (!(await tx.inboundRequests.remember(keys, nowMs))) return 'duplicate';
    // Asked before Slack is called, and again before the draft is stored.
    const isRoom = edited === undefined && (await isRoomForDraft(tx, log, thread, app.id, nowMs));
    if (!isRoom) return 'ignored';
    const look = { kind: 'look_at_app_mention', subject, runAtMs: nowMs, ifScheduled: 'keep' } as const;
    await tx.tasks.schedule(look);
    return 'accepted';
  });
  noteRequest({ outcome });
  return true;
}

/** Slack makes four attempts to deliver an event. */
const LAST_RETRY = 3;

/**
 * While another program takes a share of the requests, a reply in an unknown thread may be the other's: it is
 * left unacknowledged, so that Slack redelivers it to either. The last attempt is answered as if there were
 * no other. Returns whether it is left.
 */
async function leaveToOthers(
  deps: ListenerDeps,
  thread: Thread,
  isRootByBot: boolean,
  retryNum = 0,
): Promise<boolean> {
  if (retryNum >= LAST_RETRY) return false;
  // In a thread that a person began, an unknown reply is no sign of another program.
  if (!isRootByBot && !(await deps.isSharedSince(null))) return false;
  if (await deps.store.transaction((tx) => tx.retention.isPast(thread))) return false;
  const rootAtMs = Number(thread.threadTs) * 1000;
  if (!(await deps.isSharedSince(rootAtMs + CLOCK_SKEW_MS))) return false;
  deps.log.info('reply_left', { channel_id: thread.channelId, thread_ts: thread.threadTs });
  leaveRequest();
  return true;
}

/** Older requests have been answered or given up. */
const ASKED_WITHIN_MS = 7 * 86_400_000;

/** An edit changes a person's request that is still waiting; a deletion withdraws it. */
async function changeRequest(
  deps: ListenerDeps,
  { subtype, channel, message: now, previous_message: before }: ChangeEvent,
  isDirect: boolean,
): Promise<void> {
  const { teamId, store, clock, botUserId } = deps;
  const isDeleted = subtype === 'message_deleted' || now?.subtype === 'tombstone';
  const changed = isDeleted ? before : now;
  if (changed === undefined) return;
  const message = { ...changed, channel };
  const userId = writtenByPerson(message, botUserId);
  const mayAsk =
    isDirect || mentionsBot(message, botUserId) || mentionsBot({ ...message, ...before }, botUserId);
  if (userId === null || !mayAsk || (!isDeleted && changed.edited?.ts === undefined)) return;
  const event: JobEvent | null = isDeleted
    ? { type: 'request_deleted', messageTs: changed.ts, userId }
    : rewrittenRequest(message, {
        userId,
        botUserId,
        projects: deps.projects,
        promptMaxLength: deps.newContext().policy.promptMaxLength,
      });
  if (event === null) return;
  const asker = { teamId, channelId: channel, requesterId: userId };
  const jobId = await store.transaction(async (tx) => {
    const jobs = await tx.jobs.requestedBy(asker, clock.now() - ASKED_WITHIN_MS);
    return jobs.find(({ requestTs }) => requestTs === changed.ts)?.id ?? null;
  });
  if (jobId === null) return;
  const writer = { channelId: channel, threadTs: null, userId, isPostedByApp: isPostedByApp(message) };
  if (!(await isAdmitted(deps, writer, null))) return;
  await store.transaction((tx) => applyEvent(tx, jobId, event, deps.newContext()));
  noteRequest({ outcome: 'accepted', jobId });
}
