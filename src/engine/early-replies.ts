import type { AnyJobContext } from '../jobs/decision.ts';
import type { Thread, Transaction } from '../store/store.ts';
import { applyEvent } from './apply-event.ts';

/** Gives the job the replies that arrived before its thread was known here. */
export async function takeInEarlyReplies(
  tx: Transaction,
  jobId: string,
  thread: Thread,
  context: AnyJobContext,
): Promise<void> {
  // The job first, as everywhere: transactions that lock in two orders deadlock.
  await tx.jobs.hold(jobId);
  for (const reply of await tx.earlyReplies.take(thread, context.nowMs)) {
    await applyEvent(tx, jobId, { type: 'reply_received', reply }, context);
  }
}
