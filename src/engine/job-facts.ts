import type { Job } from '../jobs/job.ts';

/** What a log event about a job tells of it. */
export function factsOf({ id, teamId, projectName }: Job) {
  return { job_id: id, team_id: teamId, project: projectName };
}
