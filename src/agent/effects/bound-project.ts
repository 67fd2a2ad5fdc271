import type { Tools } from '../../engine/tools.ts';
import type { Job } from '../../jobs/job.ts';
import { unknownProjectError } from '../client/errors.ts';

/**
 * Throws AgentError for a job whose project is not (or no longer) one of its workspace: the project's key is not used
 * for it.
 */
export function requireBoundProject({ newContext }: Tools, { teamId, projectId }: Job): void {
  const { projects } = newContext().rulesOf(teamId);
  if (!projects.some(({ id }) => id === projectId)) throw unknownProjectError(projectId);
}
