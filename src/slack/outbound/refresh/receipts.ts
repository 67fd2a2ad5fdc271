import { factsOf } from '../../../engine/apply-event.ts';
import type { Job } from '../../../jobs/job.ts';
import { MAX_STALE_RECEIPTS } from '../../../store/queries/follow-ups.ts';
import type { ClaimedTask, StaleReceipt } from '../../../store/store.ts';
import { receiptEmoji } from '../../protocol/ids.ts';
import type { Poster } from '../../workspace/poster.ts';
import type { SlackFailure } from '../../workspace/web-api/failure.ts';
import { failureOf, isHopeless, type RefreshAttempt, refresh, type SlackTools } from './refresh.ts';

interface Receipts {
  readonly job: Job;
  readonly stale: readonly StaleReceipt[];
}

/** Makes the reactions on a job's replies show their outcomes. */
export const refreshReceipts = refresh<Receipts>({
  load: loadReceipts,
  show: async (tools, { job, stale }, attempt) => {
    const failures = await Promise.all(stale.map((receipt) => showReceipt(tools, job, receipt, attempt)));
    // As long as an earlier request may arrive, they count as stale.
    if (attempt.isSure) noteShown(stale, failures, attempt);
    return worst(failures);
  },
});

/** In the order in which others write replies, or two transactions on Postgres could deadlock. */
function noteShown(
  stale: readonly StaleReceipt[],
  failures: readonly (SlackFailure | null)[],
  { task: { kind, subject }, note }: RefreshAttempt,
): void {
  const shown = stale.filter((_receipt, index) => failures[index] === null);
  note(async (tx, { nowMs }) => {
    for (const { followUpId, desired } of shown) await tx.followUps.receiptShown(followUpId, desired);
    // There may be more.
    if (stale.length >= MAX_STALE_RECEIPTS)
      await tx.tasks.schedule({ kind, subject, runAtMs: nowMs, ifScheduled: 'replace' });
  });
}

function worst(failures: readonly (SlackFailure | null)[]): SlackFailure | null {
  const some = failures.filter((failure) => failure !== null);
  return some.find(({ outcome }) => outcome === 'unknown') ?? some[0] ?? null;
}

/** Records what is about to be shown: if its answer gets lost, it must be removed later. */
function loadReceipts({ store }: SlackTools, { subject, lease }: ClaimedTask): Promise<Receipts | null> {
  return store.transaction(async (tx) => {
    await tx.tasks.fence(lease);
    const found = await tx.followUps.withStaleReceipts(subject);
    const job = found.length === 0 ? null : await tx.jobs.get(subject);
    // On the message that asked, a receipt would read as a comment on the request.
    const stale = found.map((one) => (one.messageTs === job?.requestTs ? { ...one, desired: null } : one));
    if (job === null) {
      await tx.tasks.complete(lease);
      return null;
    }
    for (const { followUpId, placed, desired: wanted } of stale) {
      await tx.followUps.receiptsTried(followUpId, wanted === null ? placed : [...placed, wanted]);
    }
    return { job, stale };
  });
}

/** Returns a failure worth another try. */
async function showReceipt(
  tools: SlackTools,
  job: Job,
  { followUpId, messageTs, placed, desired: wanted }: StaleReceipt,
  { task }: RefreshAttempt,
): Promise<SlackFailure | null> {
  const instead = placed.filter((receipt) => receipt !== wanted).map((receipt) => receiptEmoji[receipt]);
  const { poster } = await tools.workspaces.of(job.teamId);
  const facts = { ...factsOf(job), follow_up_id: followUpId };
  const failure = await failureOf(
    () =>
      react(poster, { channelId: job.channelId, messageTs, name: wanted && receiptEmoji[wanted], instead }),
    (reason) => tools.log.warn('receipt_not_shown', { ...facts, reason }),
  );
  // A deleted reply, or a channel that the bot left, takes no reaction.
  return failure !== null && isHopeless(task, failure) ? null : failure;
}

interface Reactions {
  readonly channelId: string;
  readonly messageTs: string;
  /** Null: none. */
  readonly name: string | null;
  /** Others to remove, if present. */
  readonly instead: readonly string[];
}

/** Adds a reaction to a message and removes others. May be repeated. Throws SlackCallError. */
async function react(poster: Poster, { channelId, messageTs, name, instead }: Reactions): Promise<void> {
  if (name !== null) await poster.addReaction(channelId, messageTs, name);
  for (const other of instead) await poster.removeReaction(channelId, messageTs, other);
}
