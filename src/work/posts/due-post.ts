import type { FollowUpMode } from '../../jobs/channel-settings.ts';
import type { AnyJobContext } from '../../jobs/decision.ts';
import type { Job } from '../../jobs/job.ts';
import { policyOf } from '../../store/apply-event.ts';
import type { ClaimedTask, LedgerCall, Transaction } from '../../store/store.ts';

/** A post of the ledger whose turn it is in its lane, and the job that it is about. */
export interface DuePost {
  readonly call: LedgerCall;
  readonly job: Job;
  /** Which replies in the job's thread are follow-ups. */
  readonly mode: FollowUpMode;
}

/** The first post of the task's lane that has no outcome. Null: there is none, and the task has ended. */
export async function duePost(
  tx: Transaction,
  task: ClaimedTask,
  context: AnyJobContext,
): Promise<DuePost | null> {
  const call = await tx.calls.next(task.subject);
  if (call === null) {
    await tx.tasks.complete(task.lease);
    return null;
  }
  const job = await tx.jobs.get(call.jobId);
  if (job === null) throw new Error(`Call ${call.id} has no job`);
  const { followUpMode } = await policyOf(tx, job, context);
  return { call, job, mode: followUpMode };
}
