import type { AllMiddlewareArgs, SlackEventMiddlewareArgs } from '@slack/bolt';
import { applyEvent } from '../../../../engine/apply-event.ts';
import type { JobEvent } from '../../../../jobs/event.ts';
import type { Transaction } from '../../../../store/store.ts';
import { type ChangeEvent, messageKeys, type ReplyChange, replyChangeOf } from '../../../messages/reply.ts';
import { noteGesture } from '../../connection/noted-gesture.ts';
import { isAdmitted, refusalInThread } from '../admission.ts';
import type { ListenerDeps } from '../deps.ts';
import { whoseReply } from './whose-thread.ts';

type Args = SlackEventMiddlewareArgs<'message'> & AllMiddlewareArgs;

/** A person's reply that waits goes out as it was changed, and not at all if it was deleted. */
export function replyChange(deps: ListenerDeps) {
  return async ({ event, context }: Args): Promise<void> => {
    const change = replyChangeOf(event as ChangeEvent, context.botUserId);
    if (change === null) return;
    const { threadTs, reply } = change.found;
    const thread = { teamId: deps.teamId, channelId: change.message.channel, threadTs };
    const find = (tx: Transaction) => whoseReply(tx, thread, reply.messageTs);
    // Two transactions, as in `takeReply`: Slack is asked between them.
    if ((await deps.store.transaction(find)) === 'foreign') return;
    const writer = { ...thread, userId: reply.userId };
    if (change.kind === 'edited' && !(await isAdmitted(deps, writer, refusalInThread(writer)))) return;
    const owner = await deps.store.transaction(async (tx) => {
      const owner = await find(tx);
      if (owner === 'foreign') return owner;
      const decisionContext = deps.newContext();
      const { nowMs } = decisionContext;
      // The change may overtake the message itself, which then must not come after it.
      const isNew = await tx.inboundRequests.remember(messageKeys(deps.teamId, change.message), nowMs);
      if (owner !== 'opening') {
        const jobEvent = eventOf(change, isNew);
        if (jobEvent !== null) await applyEvent(tx, owner.jobId, jobEvent, decisionContext);
      } else if (change.kind === 'edited') await tx.earlyReplies.put(thread, reply, nowMs);
      else await tx.earlyReplies.withdraw(thread, reply.messageTs, nowMs);
      return owner;
    });
    if (owner === 'foreign') return;
    noteGesture({ outcome: 'accepted', jobId: owner === 'opening' ? undefined : owner.jobId });
  };
}

/** `isNew`: the message itself has not been heard of yet. */
function eventOf({ kind, found: { reply } }: ReplyChange, isNew: boolean): JobEvent | null {
  if (kind === 'edited') return { type: isNew ? 'reply_received' : 'reply_edited', reply };
  return isNew ? null : { type: 'reply_deleted', messageTs: reply.messageTs };
}
