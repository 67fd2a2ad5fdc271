import { type AnyJobContext, applyEvent } from '#engine/apply-event.ts';
import type { JobEvent } from '#jobs/event.ts';
import type { Thread, Transaction } from '#store/store.ts';
import {
  type Change,
  CLOCK_SKEW_MS,
  isPostedByApp,
  type MessageEvent,
  messageKeys,
  replyOf,
  writerOf,
} from '../messages/message-event.ts';
import { takeInEarlyReplies } from '../workspace/early-replies.ts';
import { isAdmitted, refusalInThread } from './admission.ts';
import { noteRequest, type RequestNote } from './connection/requests.ts';
import type { ListenerDeps } from './listener.ts';

/** A request is stored within this time; otherwise its thread is read for replies. */
const REQUEST_UNDER_WAY_MS = 10_000;

/**
 * `opening`: perhaps the thread of a card whose `ts` is not known yet. `recent`: perhaps that of a request
 * being stored; replies are kept, but answered as for `none`.
 */
type Owner = { jobId: string } | 'opening' | 'recent' | 'none';

export type ReplyOwner = Exclude<Owner, 'recent'> | null;

export async function takeReply(
  deps: ListenerDeps,
  message: MessageEvent,
  keys: readonly string[],
): Promise<ReplyOwner> {
  const found = replyOf(message, deps.botUserId);
  if (found === null) return null;
  const { reply } = found;
  const isSure = await deps.access.surelyAdmits(reply.userId, message.channel);
  return storeInThread(
    deps,
    message,
    found.threadTs,
    isSure,
    ownerOfThread,
    async (tx, owner, thread, context) => {
      if (typeof owner === 'string') {
        // Remembered when its job takes it.
        await tx.earlyReplies.put(thread, reply, context.nowMs);
        return 'accepted';
      }
      const isNew = await tx.inboundRequests.remember(keys, context.nowMs);
      const type = isNew ? 'reply_received' : 'message_completed';
      await applyEvent(tx, owner.jobId, { type, reply }, context);
      return isNew ? 'accepted' : 'duplicate';
    },
  );
}

export async function changeReply(deps: ListenerDeps, { isDeleted, message }: Change): Promise<ReplyOwner> {
  const found = replyOf(message, deps.botUserId);
  if (found === null) return null;
  const { threadTs, reply } = found;
  const { messageTs } = reply;
  const find: typeof ownerOfThread = (tx, thread, nowMs) => ownerOfReply(tx, thread, messageTs, nowMs);
  const isSure = isDeleted && !isPostedByApp(message);
  return storeInThread(deps, message, threadTs, isSure, find, async (tx, owner, thread, context) => {
    if (typeof owner === 'string' && !isDeleted) {
      await tx.earlyReplies.put(thread, reply, context.nowMs);
      return 'accepted';
    }
    // The change may overtake the message, which must not be stored later.
    const isNew = await tx.inboundRequests.remember(messageKeys(deps.teamId, message), context.nowMs);
    const event: JobEvent = isDeleted
      ? { type: 'reply_deleted', messageTs, ...(isNew && { overtaken: reply }) }
      : { type: isNew ? 'reply_received' : 'reply_edited', reply };
    if (typeof owner === 'string') await tx.earlyReplies.withdraw(thread, messageTs, context.nowMs);
    else await applyEvent(tx, owner.jobId, event, context);
    return 'accepted';
  });
}

/** @param isSure access is known without asking Slack */
async function storeInThread(
  deps: ListenerDeps,
  message: MessageEvent,
  threadTs: string,
  isSure: boolean,
  find: typeof ownerOfThread,
  write: (
    tx: Transaction,
    owner: Exclude<Owner, 'none'>,
    thread: Thread,
    context: AnyJobContext,
  ) => Promise<RequestNote['outcome']>,
): Promise<ReplyOwner> {
  const { store, teamId } = deps;
  const thread = { teamId, channelId: message.channel, threadTs };
  if (!isSure) {
    // Slack is asked only for our threads, and outside of transactions.
    const before = await store.transaction((tx) => find(tx, thread, deps.clock.now()));
    if (before === 'none') return 'none';
    const writer = writerOf(message);
    const refusalKey = before === 'recent' ? null : refusalInThread(writer);
    if (!(await isAdmitted(deps, writer, refusalKey))) return before === 'recent' ? 'none' : null;
  }
  const { owner, outcome } = await store.transaction(async (tx) => {
    const context = deps.newContext();
    const found = await find(tx, thread, context.nowMs);
    const isOurs = found !== 'none';
    return { owner: found, outcome: isOurs ? await write(tx, found, thread, context) : 'ignored' } as const;
  });
  // The job's card may have been posted while its early reply was stored: neither transaction saw the other.
  const jobId =
    owner === 'opening' || owner === 'recent'
      ? await store.transaction(async (tx) => {
          const found = await tx.jobs.findByThread(teamId, thread.channelId, threadTs);
          if (found !== null) await takeInEarlyReplies(tx, found, thread, deps.newContext());
          return found;
        })
      : null;
  const now = jobId === null ? owner : { jobId };
  if (now === 'recent') {
    noteRequest({ outcome: 'ignored' });
    return 'none';
  }
  noteRequest({ outcome, jobId: typeof now === 'object' ? now.jobId : undefined });
  return now;
}

async function ownerOfThread(tx: Transaction, thread: Thread, nowMs: number): Promise<Owner> {
  const { teamId, channelId, threadTs } = thread;
  const known = await tx.jobs.findByThread(teamId, channelId, threadTs);
  if (known !== null) return { jobId: known };
  const openingSinceMs = await tx.jobs.lockOpening(teamId, channelId);
  // The card may have become known during the wait for the lock.
  const knownNow = await tx.jobs.findByThread(teamId, channelId, threadTs);
  if (knownNow !== null) return { jobId: knownNow };
  const rootAtMs = Number(threadTs) * 1000;
  if (openingSinceMs !== null && rootAtMs + CLOCK_SKEW_MS >= openingSinceMs) return 'opening';
  return nowMs - rootAtMs < REQUEST_UNDER_WAY_MS ? 'recent' : 'none';
}

/** A job that lost its thread may keep replies in it. */
async function ownerOfReply(
  tx: Transaction,
  thread: Thread,
  messageTs: string,
  nowMs: number,
): Promise<Owner> {
  const keeper = await tx.jobs.findByRefusedCard(thread.teamId, thread.channelId, messageTs);
  if (keeper !== null) return { jobId: keeper };
  const owner = await ownerOfThread(tx, thread, nowMs);
  return owner === 'none' && (await tx.earlyReplies.has(thread, messageTs)) ? 'recent' : owner;
}
