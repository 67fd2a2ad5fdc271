import type { Job } from '../jobs/job.ts';
import type { Transaction } from './transaction.ts';

/** The job as it is shown: checks that found nothing new are not written to the job itself. */
export async function withLastCheck(tx: Transaction, job: Job): Promise<Job> {
  const quietMs = await tx.checks.lastQuietMs(job.id);
  return quietMs === null || quietMs <= (job.checkedAtMs ?? 0) ? job : { ...job, checkedAtMs: quietMs };
}
