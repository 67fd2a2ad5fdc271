import type { Thread, Transaction } from '../../../../store/store.ts';
import { CLOCK_SKEW_MS } from '../../../protocol/clock-skew.ts';

type Owner = { readonly jobId: string } | 'opening' | 'foreign';

/** As `whoseThread`, for a reply there: it may be kept by a job that has lost the thread. */
export async function whoseReply(tx: Transaction, thread: Thread, messageTs: string): Promise<Owner> {
  const keeper = await tx.jobs.findKeeping(thread.teamId, thread.channelId, messageTs);
  return keeper === null ? whoseThread(tx, thread) : { jobId: keeper };
}

/**
 * The id of the job whose thread it is; `opening` if it may be that of a card under way, which can be seen and
 * answered before it is known here; `foreign` if it is no job's.
 */
export async function whoseThread(tx: Transaction, thread: Thread): Promise<Owner> {
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
