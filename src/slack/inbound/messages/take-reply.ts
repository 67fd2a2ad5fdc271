import { applyEvent } from '../../../engine/apply-event.ts';
import type { JobEvent } from '../../../jobs/event.ts';
import { isBeforeJob } from '../../../jobs/job.ts';
import type { Thread, Transaction } from '../../../store/store.ts';
import {
  CLOCK_SKEW_MS,
  isPostedByApp,
  type MessageEvent,
  messageKeys,
  type ReplyChange,
  replyOf,
} from '../../messages/message-event.ts';
import { takeInEarlyReplies } from '../../workspace/early-replies.ts';
import { noteRequest, type RequestNote } from '../connection/request-log.ts';
import type { ListenerDeps } from '../listener.ts';
import { isAdmitted, refusalInThread } from '../requests/door.ts';

/** A request is stored within this time after it was written; otherwise its thread is read for replies. */
const REQUEST_UNDER_WAY_MS = 10_000;

interface TakenIn {
  readonly owner: Owner;
  readonly outcome: RequestNote['outcome'];
}

/** Stores a person's reply, once. Returns whose thread it is in; null: it is no reply, or not allowed. */
export async function takeReply(
  deps: ListenerDeps,
  message: MessageEvent,
  keys: readonly string[],
): Promise<Exclude<Owner, 'young'> | null> {
  const found = replyOf(message, deps.botUserId);
  if (found === null) return null;
  const { threadTs, reply } = found;
  const thread = { teamId: deps.teamId, channelId: message.channel, threadTs };
  const writer = { ...thread, userId: reply.userId, isPostedByApp: isPostedByApp(message) };
  if (!(await deps.access.surelyAdmits(writer.userId, writer.channelId))) {
    // Two transactions: Slack is asked about the author only in our threads, and no transaction waits for it.
    const owner = await deps.store.transaction((tx) => ownerOfThread(tx, thread, deps.clock.now()));
    if (owner === 'foreign') return 'foreign';
    const refusalKey = owner !== 'young' ? refusalInThread(writer) : null;
    if (!(await isAdmitted(deps, writer, refusalKey))) return owner === 'young' ? 'foreign' : null;
  }
  const taken = await deps.store.transaction(async (tx): Promise<TakenIn> => {
    const context = deps.newContext();
    const owner = await ownerOfThread(tx, thread, context.nowMs);
    if (owner === 'foreign') return { owner, outcome: 'ignored' };
    if (typeof owner === 'string') {
      // It is remembered when its job takes it.
      await tx.earlyReplies.put(thread, reply, context.nowMs);
      return { owner, outcome: 'accepted' };
    }
    const isNew = await tx.inboundRequests.remember(keys, context.nowMs);
    const type = isNew ? 'reply_received' : 'message_completed';
    await applyEvent(tx, owner.jobId, { type, reply }, context);
    return { owner, outcome: isNew ? 'accepted' : 'duplicate' };
  });
  return settled(deps, thread, taken);
}

/** Applies an edit or deletion to a person's waiting reply. Returns as `takeReply`. */
export async function changeReply(
  deps: ListenerDeps,
  change: ReplyChange,
): Promise<Exclude<Owner, 'young'> | null> {
  const { threadTs, reply } = change.found;
  const thread = { teamId: deps.teamId, channelId: change.message.channel, threadTs };
  const find = (tx: Transaction) => ownerOfReply(tx, thread, reply.messageTs, deps.clock.now());
  // Two transactions, as in `takeReply`.
  const before = await deps.store.transaction(find);
  if (before === 'foreign') return 'foreign';
  const byApp = isPostedByApp(change.message);
  const writer = { ...thread, userId: reply.userId, isPostedByApp: byApp };
  const refusalKey = before === 'young' ? null : refusalInThread(writer);
  const event = (isNew: boolean): JobEvent =>
    change.kind === 'edited'
      ? { type: isNew ? 'reply_received' : 'reply_edited', reply }
      : { type: 'reply_deleted', messageTs: reply.messageTs, ...(isNew && { overtaken: reply }) };
  // Anybody may delete their reply, even without the right to write one.
  if ((change.kind === 'edited' || byApp) && !(await isAdmitted(deps, writer, refusalKey))) return null;
  const taken = await deps.store.transaction(async (tx): Promise<TakenIn> => {
    const owner = await find(tx);
    if (owner === 'foreign') return { owner, outcome: 'ignored' };
    const context = deps.newContext();
    if (typeof owner === 'string' && change.kind === 'edited') {
      await tx.earlyReplies.put(thread, reply, context.nowMs);
      return { owner, outcome: 'accepted' };
    }
    // The change may overtake the message, which must not be stored after it.
    const isNew = await tx.inboundRequests.remember(messageKeys(deps.teamId, change.message), context.nowMs);
    if (typeof owner === 'string') await tx.earlyReplies.withdraw(thread, reply.messageTs, context.nowMs);
    else await applyEvent(tx, owner.jobId, event(isNew), context);
    return { owner, outcome: 'accepted' };
  });
  return settled(deps, thread, taken);
}

/**
 * Returns whose thread it is now. While an early reply was being stored, the job of its thread may have been
 * stored and its card posted: neither transaction saw the other.
 */
async function settled(
  deps: ListenerDeps,
  thread: Thread,
  { owner, outcome }: TakenIn,
): Promise<Exclude<Owner, 'young'>> {
  if (owner === 'opening' || owner === 'young') {
    const jobId = await deps.store.transaction(async (tx) => {
      const found = await tx.jobs.findByThread(thread.teamId, thread.channelId, thread.threadTs);
      if (found !== null) await takeInEarlyReplies(tx, found, thread, deps.newContext());
      return found;
    });
    if (jobId !== null) {
      noteRequest({ outcome, jobId });
      return { jobId };
    }
  }
  if (owner === 'young') {
    noteRequest({ outcome: 'ignored' });
    return 'foreign';
  }
  noteRequest({ outcome, jobId: typeof owner === 'object' ? owner.jobId : undefined });
  return owner;
}

/**
 * `opening`: perhaps the thread of a card that people answer before the program knows it. `young`: perhaps
 * the thread of a message whose request is being stored; its replies are kept and answered as in a `foreign`
 * one. `foreign`: a thread without a job.
 */
type Owner = { readonly jobId: string } | 'opening' | 'young' | 'foreign';

async function ownerOfThread(tx: Transaction, thread: Thread, nowMs: number): Promise<Owner> {
  const { teamId, channelId, threadTs } = thread;
  const find = () => tx.jobs.findByThread(teamId, channelId, threadTs);
  const known = await find();
  if (known !== null) return { jobId: known };
  const openingSinceMs = await tx.jobs.lockOpening(teamId, channelId);
  // The card may have become known while this waited for the lock.
  const knownNow = await find();
  if (knownNow !== null) return { jobId: knownNow };
  const rootAtMs = Number(threadTs) * 1000;
  if (openingSinceMs !== null && rootAtMs + CLOCK_SKEW_MS >= openingSinceMs) return 'opening';
  return nowMs - rootAtMs < REQUEST_UNDER_WAY_MS ? 'young' : 'foreign';
}

/** A job that lost its thread may keep replies in it. An early reply can change while it waits. */
async function ownerOfReply(
  tx: Transaction,
  thread: Thread,
  messageTs: string,
  nowMs: number,
): Promise<Owner> {
  const keeper = await tx.jobs.findKeeping(thread.teamId, thread.channelId, messageTs);
  if (keeper !== null) return { jobId: keeper };
  const owner = await ownerOfThread(tx, thread, nowMs);
  return owner === 'foreign' && (await tx.earlyReplies.has(thread, messageTs)) ? 'young' : owner;
}

/** Whether the message is a reply to a job, or perhaps to one whose card is being posted. */
export async function isReplyToJob(
  tx: Transaction,
  thread: Thread,
  messageTs: string,
  nowMs: number,
): Promise<boolean> {
  const owner = await ownerOfReply(tx, thread, messageTs, nowMs);
  if (typeof owner === 'string') return owner === 'opening';
  const job = await tx.jobs.get(owner.jobId);
  return job !== null && !isBeforeJob(job, messageTs);
}
