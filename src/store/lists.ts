import type { FollowUp } from '../jobs/follow-up.ts';
import type { Job } from '../jobs/job.ts';
import type { JobPage, PageStart, Viewer } from '../jobs/lists.ts';
import type { PastCall } from '../jobs/turns.ts';

/** Jobs as people look for them. Nothing is locked. */
export interface JobLists {
  /** One page of what the person sees there: own jobs, and those that are open in the channel. */
  page(viewer: Viewer, start: PageStart, limit: number): Promise<JobPage>;
  /** The person's open jobs, newest first. */
  openOf(teamId: string, userId: string, limit: number): Promise<Job[]>;
  /** The person's jobs that have a pull request, newest first. */
  withPullRequest(teamId: string, userId: string, limit: number): Promise<Job[]>;
  /** The job that the person asked for last. */
  latestOf(teamId: string, userId: string): Promise<Job | null>;
  /**
   * The jobs of the workspace that this may mean, newest first, at most 20: by their id, by its first 13
   * characters or more, or by the id of their agent job.
   */
  meant(teamId: string, id: string): Promise<Job[]>;
  /** The newest 500 calls of the job, in the order of the wishes. */
  callsOf(jobId: string): Promise<PastCall[]>;
  /** The follow-ups that have not reached the agent, or may not have: the 50 oldest. */
  unsentOf(jobId: string): Promise<FollowUp[]>;
}
