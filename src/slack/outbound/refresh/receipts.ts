import { factsOf } from '../../../engine/apply-event.ts';
import type { Job } from '../../../jobs/job.ts';
import { MAX_STALE_RECEIPTS } from '../../../store/queries/follow-ups.ts';
import type { StaleReceipt } from '../../../store/store.ts';
import { receiptEmoji } from '../../protocol/ids.ts';
import type { SlackFailure } from '../../workspace/web-api/failure.ts';
import { type RefreshAttempt, refresh, type SlackTools } from './refresh.ts';

export const refreshReceipts = refresh(
  async (tx, { kind, subject, lease }) => {
    await tx.tasks.fence(lease);
    const found = await tx.followUps.withStaleReceipts(subject);
    const job = found.length === 0 ? null : await tx.jobs.get(subject);
    if (job === null) return null;
    // On the message that asked, a receipt would read as a comment on the request.
    const stale = found.map((one) => (one.messageTs === job.requestTs ? { ...one, desired: null } : one));
    // Records what is about to be shown: if its answer gets lost, it must be removed later.
    for (const { followUpId, placed, desired } of stale) {
      await tx.followUps.receiptsTried(followUpId, desired === null ? placed : [...placed, desired]);
    }
    return { task: { kind, subject }, job, stale };
  },
  async (tools, { task, job, stale }, { isSure, failureOf }) => {
    const failures = await Promise.all(stale.map((receipt) => showReceipt(tools, job, receipt, failureOf)));
    const shown = stale.filter((_receipt, index) => failures[index] === null);
    const some = failures.filter((failure) => failure !== null);
    const failure = some.find(({ outcome }) => outcome === 'unknown') ?? some[0] ?? null;
    // As long as an earlier request may arrive, they count as stale.
    if (!isSure) return { failure };
    return {
      failure,
      note: async (tx, { nowMs }) => {
        // In the order in which others write replies, or two transactions on Postgres could deadlock.
        for (const { followUpId, desired } of shown) await tx.followUps.receiptShown(followUpId, desired);
        const mayBeMore = stale.length >= MAX_STALE_RECEIPTS;
        if (mayBeMore) await tx.tasks.schedule({ ...task, runAtMs: nowMs, ifScheduled: 'replace' });
      },
    };
  },
);

/** A deleted reply, or a channel that the bot left, takes no reaction: that is no failure. */
async function showReceipt(
  { workspaces, log }: SlackTools,
  job: Job,
  { followUpId, messageTs, placed, desired }: StaleReceipt,
  failureOf: RefreshAttempt['failureOf'],
): Promise<SlackFailure | null> {
  const { teamId, channelId } = job;
  const { poster } = await workspaces.of(teamId);
  const react = async () => {
    if (desired !== null) await poster.addReaction(channelId, messageTs, receiptEmoji[desired]);
    for (const other of placed) {
      if (other !== desired) await poster.removeReaction(channelId, messageTs, receiptEmoji[other]);
    }
  };
  const facts = { ...factsOf(job), follow_up_id: followUpId };
  return failureOf(react, (reason) => log.warn('receipt_not_shown', { ...facts, reason }));
}
