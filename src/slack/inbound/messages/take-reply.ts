import { applyEvent } from '../../../engine/apply-event.ts';
import type { JobEvent } from '../../../jobs/event.ts';
import { isBeforeJob } from '../../../jobs/job.ts';
import type { Thread, Transaction } from '../../../store/store.ts';
import {
  CLOCK_SKEW_MS,
  type MessageEvent,
  messageKeys,
  type ReplyChange,
  replyOf,
} from '../../messages/message-event.ts';
import { noteRequest, type RequestNote } from '../connection/request-log.ts';
import type { ListenerDeps } from '../deps.ts';
import { isAdmitted, refusalInThread } from '../requests/admission.ts';

interface Delivery {
  readonly keys: readonly string[];
  readonly botUserId: string | undefined;
  /** False where another event delivers the same message. */
  readonly showsRefusal: boolean;
}

interface TakenIn {
  readonly owner: Owner;
  readonly outcome: RequestNote['outcome'];
}

/** Takes a person's reply in, once. Returns whose thread it is in; null if it is no reply, or not allowed. */
export async function takeReply(
  deps: ListenerDeps,
  message: MessageEvent,
  { keys, botUserId, showsRefusal }: Delivery,
): Promise<Owner | null> {
  const found = replyOf(message, botUserId);
  if (found === null) return null;
  const { threadTs, reply } = found;
  const thread = { teamId: deps.teamId, channelId: message.channel, threadTs };
  const writer = { ...thread, userId: reply.userId };
  if (!(await deps.access.surelyAdmits(writer.userId, writer.channelId))) {
    // Slack is asked only about authors in our threads, and no transaction waits for its answer: hence two.
    if ((await deps.store.transaction((tx) => ownerOfThread(tx, thread))) === 'foreign') return 'foreign';
    if (!(await isAdmitted(deps, writer, showsRefusal ? refusalInThread(writer) : null))) return null;
  }
  const taken = await deps.store.transaction(async (tx): Promise<TakenIn> => {
    const owner = await ownerOfThread(tx, thread);
    if (owner === 'foreign') return { owner, outcome: 'ignored' };
    const context = deps.newContext();
    const isNew = await tx.inboundRequests.remember(keys, context.nowMs);
    if (!isNew) return { owner, outcome: 'duplicate' };
    if (owner === 'opening') await tx.earlyReplies.put(thread, reply, context.nowMs);
    else await applyEvent(tx, owner.jobId, { type: 'reply_received', reply }, context);
    return { owner, outcome: 'accepted' };
  });
  noteTaken(taken);
  return taken.owner;
}

/** A person's reply that waits goes out as it was changed, and not at all if it was deleted. */
export async function changeReply(deps: ListenerDeps, change: ReplyChange): Promise<void> {
  const { threadTs, reply } = change.found;
  const thread = { teamId: deps.teamId, channelId: change.message.channel, threadTs };
  const find = (tx: Transaction) => ownerOfReply(tx, thread, reply.messageTs);
  // Two transactions, as in `takeReply`.
  if ((await deps.store.transaction(find)) === 'foreign') return;
  const writer = { ...thread, userId: reply.userId };
  if (change.kind === 'edited' && !(await isAdmitted(deps, writer, refusalInThread(writer)))) return;
  const taken = await deps.store.transaction(async (tx): Promise<TakenIn> => {
    const owner = await find(tx);
    if (owner === 'foreign') return { owner, outcome: 'ignored' };
    const context = deps.newContext();
    // The change may overtake the message itself, which then must not be stored after it.
    const isNew = await tx.inboundRequests.remember(messageKeys(deps.teamId, change.message), context.nowMs);
    if (owner !== 'opening') {
      await applyEvent(tx, owner.jobId, eventOf(change, isNew), context);
    } else if (change.kind === 'edited') await tx.earlyReplies.put(thread, reply, context.nowMs);
    else await tx.earlyReplies.withdraw(thread, reply.messageTs, context.nowMs);
    return { owner, outcome: 'accepted' };
  });
  noteTaken(taken);
}

function noteTaken({ owner, outcome }: TakenIn): void {
  noteRequest({ outcome, jobId: typeof owner === 'object' ? owner.jobId : undefined });
}

/** @param isNew the message itself has not arrived yet */
function eventOf({ kind, found: { reply } }: ReplyChange, isNew: boolean): JobEvent {
  if (kind === 'edited') return { type: isNew ? 'reply_received' : 'reply_edited', reply };
  return { type: 'reply_deleted', messageTs: reply.messageTs, ...(isNew && { overtaken: reply }) };
}

/** `opening`: perhaps the thread of a card that people see and answer before the program knows it. `foreign`: no job's. */
type Owner = { readonly jobId: string } | 'opening' | 'foreign';

async function ownerOfThread(tx: Transaction, thread: Thread): Promise<Owner> {
  const { teamId, channelId, threadTs } = thread;
  const find = () => tx.jobs.findByThread(teamId, channelId, threadTs);
  const known = await find();
  if (known !== null) return { jobId: known };
  const openingSinceMs = await tx.jobs.lockOpening(teamId, channelId);
  // The card may have become known while this waited for the lock.
  const knownNow = await find();
  if (knownNow !== null) return { jobId: knownNow };
  const rootAtMs = Number(threadTs) * 1000 + CLOCK_SKEW_MS;
  return openingSinceMs !== null && rootAtMs >= openingSinceMs ? 'opening' : 'foreign';
}

/** A job that has lost its thread may keep replies in it. */
async function ownerOfReply(tx: Transaction, thread: Thread, messageTs: string): Promise<Owner> {
  const keeper = await tx.jobs.findKeeping(thread.teamId, thread.channelId, messageTs);
  return keeper === null ? ownerOfThread(tx, thread) : { jobId: keeper };
}

/** Whether the message is a reply to a job, or perhaps to one whose card is under way. */
export async function isReplyToJob(tx: Transaction, thread: Thread, messageTs: string): Promise<boolean> {
  const owner = await ownerOfReply(tx, thread, messageTs);
  if (owner === 'foreign' || owner === 'opening') return owner === 'opening';
  const job = await tx.jobs.get(owner.jobId);
  return job !== null && !isBeforeJob(job, messageTs);
}
