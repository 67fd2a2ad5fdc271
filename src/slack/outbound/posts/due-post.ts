import type { AnyJobContext } from '../../../jobs/decision.ts';
import type { Job } from '../../../jobs/job.ts';
import { type FollowUpMode, policyFor } from '../../../jobs/policy.ts';
import type { ClaimedTask, LedgerCall, Transaction } from '../../../store/store.ts';

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
  { subject, lease }: ClaimedTask,
  context: AnyJobContext,
): Promise<DuePost | null> {
  const due = (await duePosts(tx, [subject], context)).get(subject);
  if (due !== undefined) return due;
  await tx.tasks.complete(lease);
  return null;
}

/** The first post without an outcome of each lane that has any, by the lane. */
export async function duePosts(
  tx: Transaction,
  lanes: readonly string[],
  { policy, rulesOf }: AnyJobContext,
): Promise<ReadonlyMap<string, DuePost>> {
  const due = new Map<string, DuePost>();
  for (const [lane, { call, job, saved }] of await tx.posts.next(lanes)) {
    const { followUpMode: mode } = policyFor(policy, rulesOf(job.teamId), job, saved);
    due.set(lane, { call, job, mode });
  }
  return due;
}
