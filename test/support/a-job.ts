import { openJob } from '../../src/jobs/decide/open.ts';
import type { Job } from '../../src/jobs/job.ts';
import { policy, request } from '../jobs/support/builders.ts';

/** A job as it is opened, with these facts changed. */
export function aJob(facts: Partial<Job>): Job {
  const { job } = openJob(request, { nowMs: 0, jitter: 0.5, newId: () => 'job-1', policy });
  return { ...job, ...facts };
}
