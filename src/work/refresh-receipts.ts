import { SlackCallError, type SlackFailure } from '../slack/failure.ts';
import type { ClaimedTask, Receipt, StaleReceipt } from '../store/store.ts';
import { slackRetryMs } from './slack-retry.ts';
import type { Tools } from './tools.ts';

const EMOJI: Readonly<Record<Receipt, string>> = {
  eyes: 'eyes',
  done: 'white_check_mark',
  warning: 'warning',
};

/** Brings the reactions at a job's replies in line with what became of them. Harmless to repeat. */
export async function refreshReceipts(tools: Tools, task: ClaimedTask): Promise<void> {
  for (;;) {
    const { job, stale } = await tools.store.transaction(async (tx) => ({
      job: await tx.jobs.get(task.subject),
      stale: await tx.followUps.withStaleReceipts(task.subject),
    }));
    if (job === null || stale.length === 0) break;
    const failures = await Promise.all(stale.map((receipt) => show(tools, job.channelId, receipt)));
    const failure = failures.find((candidate) => candidate !== null);
    if (failure) {
      const waitMs = slackRetryMs(task, failure);
      await tools.store.transaction((tx) => tx.tasks.postpone(task.lease, tools.clock.now() + waitMs));
      return;
    }
  }
  await tools.store.transaction((tx) => tx.tasks.complete(task.lease));
}

async function show(tools: Tools, channelId: string, receipt: StaleReceipt): Promise<SlackFailure | null> {
  const instead = receipt.shown === null ? null : EMOJI[receipt.shown];
  try {
    await tools.poster.react(channelId, receipt.messageTs, EMOJI[receipt.wanted], instead);
  } catch (error) {
    if (!(error instanceof SlackCallError)) throw error;
    tools.log.warn('receipt_not_shown', { follow_up_id: receipt.followUpId, reason: error.failure.code });
    // A reply that was deleted, or a channel that was left, takes no reaction any more.
    if (error.failure.outcome !== 'refused') return error.failure;
  }
  await tools.store.transaction((tx) => tx.followUps.receiptShown(receipt.followUpId, receipt.wanted));
  return null;
}
