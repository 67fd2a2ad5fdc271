import type { AllMiddlewareArgs, SlackEventMiddlewareArgs } from '@slack/bolt';
import { applyEvent } from '../../../../engine/apply-event.ts';
import { type MessageEvent, messageKeys, replyOf } from '../../../messages/reply.ts';
import { type GestureNote, noteGesture } from '../../connection/noted-gesture.ts';
import { isAdmitted, refusalInThread } from '../admission.ts';
import type { ListenerDeps } from '../deps.ts';
import { tellIfPast } from './past-thread.ts';
import { whoseThread } from './whose-thread.ts';

type Args = SlackEventMiddlewareArgs<'message'> & AllMiddlewareArgs;

/** A person's reply in a job's thread is a follow-up. An error leaves it unacknowledged: Slack sends it again. */
export function threadReply(deps: ListenerDeps) {
  return async ({ event, body, context }: Args): Promise<void> => {
    const { botUserId } = context;
    const message = event as MessageEvent;
    const owner = await takeReply(deps, message, { eventId: body.event_id, botUserId });
    // Elsewhere, another listener answers.
    const isSilent = owner === 'foreign' && event.channel_type !== 'im';
    if (isSilent) await tellIfPast(deps, message, botUserId);
  };
}

interface Delivery {
  readonly eventId: string;
  readonly botUserId: string | undefined;
  /** Default: true. False where another event tells of the same message. */
  readonly isRefusalTold?: boolean;
}

type Owner = Awaited<ReturnType<typeof whoseThread>>;

interface TakenIn {
  readonly owner: Owner;
  readonly note?: GestureNote;
}

/** Takes a person's reply in, once. Returns whose thread it is in; null if it is no reply, or not allowed. */
export async function takeReply(
  deps: ListenerDeps,
  message: MessageEvent,
  { eventId, botUserId, isRefusalTold = true }: Delivery,
): Promise<Owner | null> {
  const found = replyOf(message, botUserId);
  if (found === null) return null;
  const { threadTs, reply } = found;
  const { teamId } = deps;
  const thread = { teamId, channelId: message.channel, threadTs };
  // Slack is asked only about who writes in threads of ours, and no transaction waits for its answer: hence two.
  if ((await deps.store.transaction((tx) => whoseThread(tx, thread))) === 'foreign') return 'foreign';
  const writer = { ...thread, userId: reply.userId };
  if (!(await isAdmitted(deps, writer, isRefusalTold ? refusalInThread(writer) : null))) return null;
  const { owner, note } = await deps.store.transaction(async (tx): Promise<TakenIn> => {
    const owner = await whoseThread(tx, thread);
    if (owner === 'foreign') return { owner };
    const context = deps.newContext();
    const { nowMs } = context;
    const isNew = await tx.inboundRequests.remember(messageKeys(teamId, message, eventId), nowMs);
    const jobId = owner === 'opening' ? undefined : owner.jobId;
    if (!isNew) return { owner, note: { outcome: 'duplicate', jobId } };
    if (owner === 'opening') await tx.earlyReplies.put(thread, reply, nowMs);
    else await applyEvent(tx, owner.jobId, { type: 'reply_received', reply }, context);
    return { owner, note: { outcome: 'accepted', jobId } };
  });
  if (note !== undefined) noteGesture(note);
  return owner;
}
