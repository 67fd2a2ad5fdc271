import { AgentError } from '../client/errors.ts';
import type { AgentTools } from './agent-tools.ts';
import { ReadQuota } from './read-quota.ts';

/**
 * For a person who waits: whether the agent has a job; null: it did not say, not in words of its own, or may not be asked
 * now. The read goes before those that wait, and is one of those that a project may have in a minute.
 */
export function hasJob(
  { store, clock, agent }: Pick<AgentTools, 'store' | 'clock' | 'agent'>,
  readsPerMinute: number,
) {
  const quota = new ReadQuota(readsPerMinute);
  return async (projectId: string, agentJobId: string): Promise<boolean | null> => {
    const mayRead = await store.transaction((tx) => quota.takeFirst(tx, projectId, clock.now()));
    if (!mayRead) return null;
    try {
      await agent.getJob(projectId, agentJobId);
      return true;
    } catch (error) {
      if (!(error instanceof AgentError)) throw error;
      return error.failure.reason === 'not_found' ? false : null;
    }
  };
}
