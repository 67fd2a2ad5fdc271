import type { Job } from '../../jobs/job.ts';
import { unknownProjectError } from '../client/errors.ts';
import type { AgentTools } from './agent-tools.ts';

/**
 * Throws AgentError for a job whose project is not (or no longer) one of its workspace: the project's key is not used
 * for it.
 */
export function requireBoundProject({ newContext }: AgentTools, { teamId, projectId }: Job): void {
  const { projects } = newContext().rulesOf(teamId);
  if (!projects.some(({ id }) => id === projectId)) throw unknownProjectError(projectId);
}
