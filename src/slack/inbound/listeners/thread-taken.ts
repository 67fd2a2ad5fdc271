import type { Job } from '../../../jobs/job.ts';
import type { Transaction } from '../../../store/store.ts';

/** Whether another job runs by now in the thread that the job waits to start in. */
export async function isThreadTaken(tx: Transaction, { teamId, channelId, stage }: Job): Promise<boolean> {
  const thread = stage.kind === 'asking' || stage.kind === 'unopened' ? stage.thread : null;
  return thread !== null && (await tx.jobs.findByThread(teamId, channelId, thread.threadTs)) !== null;
}
