import { decide } from '../jobs/decide/decide.ts';
import type { DecisionContext } from '../jobs/decision.ts';
import type { JobEvent } from '../jobs/event.ts';
import type { Job } from '../jobs/job.ts';
import type { Transaction } from './store.ts';

/** Reads a job, decides what follows from the event, and writes it. Returns the job as it is then. */
export async function applyEvent(
  tx: Transaction,
  jobId: string,
  event: JobEvent,
  context: DecisionContext,
): Promise<Job> {
  const state = await tx.jobs.lock(jobId);
  if (state === null) throw new Error(`There is no job ${jobId} in the store`);
  const decision = decide(state, event, context);
  await tx.write(decision, context.nowMs);
  return decision.job;
}
