import { applyEvent } from '../../engine/apply-event.ts';
import type { AnyJobContext } from '../../jobs/decision.ts';
import type { Thread, Transaction } from '../../store/store.ts';
import { messageKeys } from '../messages/message-event.ts';

/**
 * Gives the job the replies that arrived before its thread was known here. They are remembered only now:
 * after a crash before this point, Slack redelivers them, or the thread is read.
 */
export async function takeInEarlyReplies(
  tx: Transaction,
  jobId: string,
  thread: Thread,
  context: AnyJobContext,
): Promise<void> {
  const { teamId, channelId: channel } = thread;
  // The job first, as everywhere: locking in two orders deadlocks.
  await tx.jobs.hold(jobId);
  for (const reply of await tx.earlyReplies.take(thread, context.nowMs)) {
    await tx.inboundRequests.remember(messageKeys(teamId, { channel, ts: reply.messageTs }), context.nowMs);
    await applyEvent(tx, jobId, { type: 'reply_received', reply }, context);
  }
}
