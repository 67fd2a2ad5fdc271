import { factsOf } from '../../../engine/tools.ts';
import type { Receipt } from '../../../jobs/follow-up.ts';
import type { Job } from '../../../jobs/job.ts';
import type { ClaimedTask, StaleReceipt } from '../../../store/store.ts';
import type { SlackFailure } from '../../workspace/web-api/failure.ts';
import { isHopeless, type SlackTools } from '../slack-tools.ts';
import { failureOf, type RefreshAttempt, refresh } from './refresh.ts';

const EMOJI: Readonly<Record<Receipt, string>> = {
  eyes: 'eyes',
  done: 'white_check_mark',
  warning: 'warning',
  muted: 'mute',
  aside: 'speech_balloon',
};

interface Receipts {
  readonly job: Job | null;
  readonly stale: readonly StaleReceipt[];
}

/** Brings the reactions at a job's replies in line with what became of them. */
export const refreshReceipts = refresh<Receipts>({
  load: loadReceipts,
  show: async (tools, receipts, attempt) => {
    for (let { job, stale } = receipts; job !== null && stale.length > 0; ) {
      const subject = job;
      const failures = stale.map((receipt) => showReceipt(tools, subject, receipt, attempt));
      const failure = worst(await Promise.all(failures));
      // As long as an earlier request may arrive, they count as stale.
      if (failure !== null || !attempt.isSure) return failure;
      ({ job, stale } = await loadReceipts(tools, attempt.task));
    }
    return null;
  },
});

function worst(failures: readonly (SlackFailure | null)[]): SlackFailure | null {
  const some = failures.filter((failure) => failure !== null);
  return some.find(({ outcome }) => outcome === 'unknown') ?? some[0] ?? null;
}

/** Records what is about to be put there: if its answer gets lost, it must be removed later. */
function loadReceipts({ store }: SlackTools, { subject, lease }: ClaimedTask): Promise<Receipts> {
  return store.transaction(async (tx) => {
    await tx.tasks.fence(lease);
    const job = await tx.jobs.get(subject);
    const stale = await tx.followUps.withStaleReceipts(subject);
    for (const { followUpId, placed, desired: wanted } of stale) {
      await tx.followUps.receiptsTried(followUpId, wanted === null ? placed : [...placed, wanted]);
    }
    return { job, stale };
  });
}

async function showReceipt(
  tools: SlackTools,
  job: Job,
  { followUpId, messageTs, placed, desired: wanted }: StaleReceipt,
  { task, isSure }: RefreshAttempt,
): Promise<SlackFailure | null> {
  const instead = placed.filter((receipt) => receipt !== wanted).map((receipt) => EMOJI[receipt]);
  const { poster } = await tools.workspaces.of(job.teamId);
  const facts = { ...factsOf(job), follow_up_id: followUpId };
  const failure = await failureOf(
    () => poster.react(job.channelId, messageTs, wanted && EMOJI[wanted], instead),
    (reason) => tools.log.warn('receipt_not_shown', { ...facts, reason }),
  );
  // A reply that was deleted, or a channel that was left, takes no reaction any more.
  if (failure !== null && !isHopeless(task, failure)) return failure;
  if (!isSure) return null;
  await tools.store.transaction(async (tx) => {
    await tx.tasks.fence(task.lease);
    await tx.followUps.receiptShown(followUpId, wanted);
  });
  return null;
}
