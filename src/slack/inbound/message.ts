import { applyEvent } from '#engine/apply-event.ts';
import { announces } from '#jobs/agent-job.ts';
import type { JobEvent } from '#jobs/event.ts';
import { isBeforeJob } from '#jobs/job.ts';
import { commandNames } from '#jobs/requests/command.ts';
import { intentOf } from '#jobs/requests/intent.ts';
import {
  appThatWrote,
  type Change,
  type ChangeEvent,
  CLOCK_SKEW_MS,
  changeIn,
  isChange,
  type MessageEvent,
  mayBeHuman,
  mentionsBot,
  messageKeys,
  replyOf,
  rewrittenRequest,
  type Written,
  writerOf,
  writtenByPerson,
  writtenOf,
} from '../messages/message-event.ts';
import { filesNotSent } from '../views/announcement.ts';
import { noJobInThreadView, sendAlongView } from '../views/compose.ts';
import {
  newMessagesOnlyView,
  refusalView,
  threadForgottenView,
  typedOnlyView,
} from '../views/private-answers.ts';
import { isRoomForDraft } from '../workspace/early-replies.ts';
import { putNewest } from '../workspace/names.ts';
import { isAdmitted, jobOf } from './admission.ts';
import { answerInWords, typedCommand, viewerOf } from './commands.ts';
import { leaveUnacknowledged, noteRequest } from './connection/requests.ts';
import { authorsAlong, offerSaidSince } from './forms/thread.ts';
import { promptMaxOf } from './interaction.ts';
import type { EventListener, ListenerDeps } from './listener.ts';
import { answerWriter } from './once.ts';
import { changeReply, type ReplyOwner, takeReply } from './replies.ts';
import { startJob } from './start-job.ts';

/** A third of Slack's time limit. */
const TWIN_WITHIN_MS = 1_000;

/**
 * An error leaves the event unacknowledged, so Slack redelivers it.
 *
 * |                         | at the top level  | in a thread                          |
 * | mention, direct message | starts a job      | reply to its job, else an offer      |
 * | other message           | ignored           | reply to its job, else "it is gone"  |
 * | edit or deletion        | tip for a mention | changes the reply                    |
 * | of a listed app         | makes a draft     | makes a draft, unless there is a job |
 *
 * Slack delivers a mention twice, as `message` and `app_mention`, in any order, to any replica; one may never
 * come. `app_mention` may lack attachments, so it waits, unacknowledged, for `message`: a crash loses neither.
 */
export function messageListener(): EventListener<'message' | 'app_mention'> {
  const twins = new Map<string, PromiseWithResolvers<void>>();
  const handled = (key: string) => {
    const known = twins.get(key);
    if (known !== undefined) return known;
    const made = Promise.withResolvers<void>();
    putNewest(twins, key, made);
    return made;
  };
  return async (deps, { event, body, context: { retryNum } }) => {
    const isDirect = event.type === 'message' && event.channel_type === 'im';
    const message = event as MessageEvent & ChangeEvent;
    const { bot_id: by, app_id: app } = message.message ?? message.previous_message ?? message;
    // The bot's own message, with any of its tokens.
    if (by === deps.botId || (app !== undefined && app === body.api_app_id)) return;
    if (isChange(message)) return takeChange(deps, message, isDirect, retryNum);
    const keys = messageKeys(deps.teamId, message, body.event_id);
    const [key = ''] = keys;
    const isAppMention = event.type === 'app_mention';
    const isMention = isAppMention || (!isDirect && mentionsBot(message, deps.botUserId));
    const hasTwin = isAppMention ? mayBeHuman(message) : isMention;
    if (hasTwin && isAppMention) await deps.clock.timeout(TWIN_WITHIN_MS, handled(key).promise, undefined);
    try {
      const to = isMention ? 'mention' : isDirect ? 'direct_message' : null;
      await takeMessage(deps, message, to, keys, retryNum);
    } finally {
      if (hasTwin && !isAppMention) handled(key).resolve();
    }
  };
}

/** How the bot is spoken to. */
type Spoken = 'mention' | 'direct_message';

async function takeMessage(
  deps: ListenerDeps,
  message: MessageEvent,
  spoken: Spoken | null,
  keys: readonly string[],
  retryNum?: number,
) {
  const { botUserId } = deps;
  const isMention = spoken === 'mention';
  if (isMention && (await takeAppMention(deps, message, keys))) return;
  const written = spoken === null ? null : writtenOf(message, botUserId);
  if (message.thread_ts === undefined || message.thread_ts === message.ts) {
    if (spoken !== null && written !== null) await startFromMessage(deps, written, keys, spoken);
    return;
  }
  const owner = await takeReply(deps, message, keys);
  if (owner !== null && typeof owner === 'object') {
    if (isMention) await offerSaidSince(deps, message, owner.jobId);
    return;
  }
  const rootUserId = message.parent_user_id ?? (spoken === 'direct_message' ? botUserId : undefined);
  // A mention in a person's thread is answered at once: it may well be the first there.
  const mayBeLeft = !isMention || message.parent_user_id === botUserId;
  if (owner !== null && mayBeLeft && (await leaveToOthers(deps, message, retryNum))) return;
  const mayBeElsewhere = owner === 'opening' && rootUserId !== botUserId;
  if (spoken !== null) {
    if (written !== null && (owner === 'none' || mayBeElsewhere)) await offerThread(deps, written);
  } else if (owner === 'none') await answerInForgottenThread(deps, message);
}

async function takeChange(deps: ListenerDeps, event: ChangeEvent, isDirect: boolean, retryNum?: number) {
  const { botUserId } = deps;
  const change = changeIn(event);
  if (change === null) return;
  const { message, before } = change;
  const userId = writtenByPerson(message, botUserId);
  if (userId === null) return;
  const mentions = mentionsBot(message, botUserId);
  const mentioned = before !== undefined && mentionsBot(before, botUserId);
  if (isDirect || mentions || mentioned) await changeRequest(deps, change, userId);
  const owner = await changeReply(deps, change);
  if (owner === 'none' && (await leaveToOthers(deps, message, retryNum))) return;
  const isAdded = mentions && before !== undefined && !mentioned;
  if (!isDirect && !change.isDeleted && isAdded) await answerAddedMention(deps, message, owner);
}

async function answerTo(deps: ListenerDeps, { channelId, userId, text, attachments }: Written) {
  const intent = intentOf(text);
  const { kind } = intent;
  if (typedCommand(deps, intent) !== undefined) return typedOnlyView(text.trim());
  const { others, snippets } = attachments;
  const takesPictures = deps.projects.some(({ id }) => announces(deps.known.agent(id), 'images'));
  const unsent = takesPictures ? others.filter(({ picture }) => picture === undefined) : others;
  if (kind === 'compose' && unsent.length > 0) return filesNotSent(unsent, takesPictures);
  // Beside a snippet, phrases of other kinds are part of the request.
  if (snippets.length > 0 && !commandNames.some((name) => name === kind)) return null;
  return answerInWords(deps, viewerOf(deps, { userId, channelId }), intent);
}

async function startFromMessage(
  deps: ListenerDeps,
  written: Written,
  keys: readonly string[],
  spoken: Spoken,
) {
  const { channelId, userId: requesterId, ts, text, attachments } = written;
  const at = { ...written, keys };
  if (!(await isAdmitted(deps, written, `message:${channelId}:${ts}`))) return;
  const answer = await answerTo(deps, written);
  // This event may lack the attachments: its twin must still start the job.
  const answerKeys = text === '' ? keys.map((key) => `bare_${key}`) : keys;
  if (answer !== null) return answerWriter(deps, at, answer, answer, answerKeys);
  const request = {
    teamId: deps.teamId,
    channelId,
    requesterId,
    origin: { kind: spoken },
    text,
    attachments,
    responseUrl: null,
    thread: { threadTs: ts, lastTs: ts },
    requestTs: ts,
    mayBeMistypedCommand: true,
  } as const;
  const outcome = await startJob(deps, request, keys, 'in_message');
  if (outcome && 'kind' in outcome) await answerWriter(deps, at, refusalView(outcome));
}

/** The agent gets nothing of a thread before a person has seen it. */
async function offerThread(deps: ListenerDeps, written: Written) {
  const { channelId, ts: messageTs, threadTs } = written;
  if (threadTs === null) return;
  const key = `mention:${deps.teamId}:${channelId}:${messageTs}`;
  if (!(await isAdmitted(deps, written, key))) return;
  const at = { ...written, keys: [key] };
  const answer = written.text === '' ? null : await answerTo(deps, written);
  if (answer !== null) return answerWriter(deps, at, answer);
  const mentioned = { channelId, threadTs, messageTs };
  const offer = sendAlongView(mentioned, await authorsAlong(deps, mentioned));
  await answerWriter(deps, at, offer, noJobInThreadView);
}

function isThreadPast({ store, teamId }: ListenerDeps, channelId: string, threadTs: string) {
  return store.transaction((tx) => tx.retention.isPast({ teamId, channelId, threadTs }));
}

async function answerInForgottenThread(deps: ListenerDeps, message: MessageEvent) {
  const found = replyOf(message, deps.botUserId);
  if (found === null || found.reply.mentionsBot) return;
  const { threadTs } = found;
  const writer = writerOf(message);
  const { channelId, userId } = writer;
  if (!(await isThreadPast(deps, channelId, threadTs)) || !(await isAdmitted(deps, writer, null))) return;
  const keys = [`past_thread:${deps.teamId}:${channelId}:${threadTs}:${userId}`];
  await answerWriter(deps, { ...writer, keys }, threadForgottenView);
}

/** Slack sends no event for a mention added by an edit, so its author learns that it starts nothing. */
async function answerAddedMention(deps: ListenerDeps, message: MessageEvent, owner: ReplyOwner) {
  const { channel: channelId, ts, thread_ts: threadTs = ts } = message;
  // A reply, which needs no hint, or whose author was refused.
  if (owner === 'opening' || (owner === null && threadTs !== ts)) return;
  if (owner !== null && owner !== 'none') {
    const job = await jobOf(deps, owner.jobId);
    if (job !== null && !isBeforeJob(job, ts)) return;
  }
  const key = `mention_by_edit:${deps.teamId}:${channelId}:${ts}`;
  const writer = writerOf(message);
  if (await isAdmitted(deps, writer, key)) {
    await answerWriter(deps, { ...writer, keys: [key] }, newMessagesOnlyView);
  }
}

/** Returns whether the author is a listed app. Throws SlackCallError if the check fails. */
async function takeAppMention(deps: ListenerDeps, message: MessageEvent, keys: readonly string[]) {
  const app = appThatWrote(message);
  const { channel: channelId, user, ts, thread_ts: threadTs = ts, edited } = message;
  if (app === null || !(await deps.access.admitsApp(app.id, channelId))) return false;
  if (user !== undefined && mayBeHuman(message) && (await deps.access.isPerson(user, true))) return false;
  const { teamId, store, clock, log } = deps;
  const thread = { teamId, channelId, threadTs };
  const subject = `${teamId}:${channelId}:${ts}`;
  const outcome = await store.transaction(async (tx) => {
    const nowMs = clock.now();
    if (!(await tx.inboundRequests.remember(keys, nowMs))) return 'duplicate';
    const isRoom = edited === undefined && (await isRoomForDraft(tx, log, thread, app.id, nowMs));
    if (!isRoom) return 'ignored';
    const look = { kind: 'look_at_app_mention', subject, runAtMs: nowMs, ifScheduled: 'keep' } as const;
    await tx.tasks.schedule(look);
    return 'accepted';
  });
  noteRequest({ outcome });
  return true;
}

const LAST_RETRY = 3;

/**
 * While another program shares the requests, a reply in an unknown thread may belong to it: left
 * unacknowledged, Slack redelivers it to either.
 */
async function leaveToOthers(
  deps: ListenerDeps,
  { channel: channelId, ts, thread_ts: threadTs = ts, parent_user_id: rootUserId }: MessageEvent,
  retryNum = 0,
) {
  const { isSharedSince, botUserId } = deps;
  if (retryNum >= LAST_RETRY) return false;
  // In a thread that a person started, an unknown reply is no sign of another program.
  if (rootUserId !== botUserId && !(await isSharedSince(null))) return false;
  if (await isThreadPast(deps, channelId, threadTs)) return false;
  if (!(await isSharedSince(Number(threadTs) * 1000 + CLOCK_SKEW_MS))) return false;
  deps.log.info('reply_left', { channel_id: channelId, thread_ts: threadTs });
  leaveUnacknowledged();
  return true;
}

/** Older requests have been answered or abandoned. */
const ASKED_WITHIN_MS = 7 * 86_400_000;

async function changeRequest(deps: ListenerDeps, { isDeleted, message }: Change, userId: string) {
  const { teamId, store, clock, botUserId, projects } = deps;
  const { channel: channelId, ts: messageTs } = message;
  const promptMaxLength = promptMaxOf(deps);
  const event: JobEvent | null = isDeleted
    ? { type: 'request_deleted', messageTs, userId }
    : rewrittenRequest(message, { userId, botUserId, projects, promptMaxLength });
  if (event === null) return;
  const asker = { teamId, channelId, requesterId: userId };
  const jobs = await store.transaction((tx) => tx.jobs.requestedBy(asker, clock.now() - ASKED_WITHIN_MS));
  const jobId = jobs.find(({ requestTs }) => requestTs === messageTs)?.id;
  if (jobId === undefined) return;
  if (!(await isAdmitted(deps, writerOf(message), null))) return;
  await store.transaction((tx) => applyEvent(tx, jobId, event, deps.newContext()));
  noteRequest({ outcome: 'accepted', jobId });
}
