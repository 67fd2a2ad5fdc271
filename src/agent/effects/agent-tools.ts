import type { EngineTools } from '../../engine/apply-event.ts';
import type { AgentFailure } from '../../jobs/agent-job.ts';
import type { Job } from '../../jobs/job.ts';
import type { ServiceFacts } from '../../jobs/service-facts.ts';
import { type AgentClient, unknownProjectError } from '../client/client.ts';

export type AgentTools = EngineTools &
  Readonly<{
    agent: AgentClient;
    answered: AnsweredJobs;
    known: { readonly agent: (projectId: string) => ServiceFacts };
    /** Per project. */
    hourlyBudget: number;
    /** The prompt as the agent reads it, with people's names instead of ids. */
    readablePrompt: (teamId: string, prompt: string) => Promise<string>;
    /** Shows people, after a check, that the agent works on the job. Waits for nothing, and never fails. */
    showChecked: (job: Job) => void;
  }>;

/** Throws AgentError if the project no longer belongs to the job's workspace: its key is not used for the job. */
export function requireBoundProject({ newContext }: AgentTools, { teamId, projectId }: Job): void {
  const { projects } = newContext().rulesOf(teamId);
  if (!projects.some(({ id }) => id === projectId)) throw unknownProjectError(projectId);
}

const MAX_WORDS_LENGTH = 200;

/**
 * For the log: what the API says when an administrator must act, on one line. Its words about a refused request may
 * quote the request, so they are left out.
 */
export function agentSays({ reason, words }: AgentFailure): { readonly agent_says?: string } {
  const isForOperator = reason === 'unauthorized' || reason === 'not_found';
  if (!isForOperator || words === undefined) return {};
  const line = words.replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ');
  return { agent_says: line.slice(0, MAX_WORDS_LENGTH).toWellFormed() };
}

/** Which jobs the agent API knew recently, as far as this process knows. */
export class AnsweredJobs {
  /** The last two of each project. */
  private readonly byProject = new Map<string, readonly { agentJobId: string; atMs: number }[]>();

  note(projectId: string, agentJobId: string, atMs: number): void {
    const others = this.othersOf(projectId, agentJobId).slice(-1);
    this.byProject.set(projectId, [...others, { agentJobId, atMs }]);
  }

  othersAtMs(projectId: string, agentJobId: string): number | null {
    return this.othersOf(projectId, agentJobId).at(-1)?.atMs ?? null;
  }

  private othersOf(projectId: string, agentJobId: string) {
    return (this.byProject.get(projectId) ?? []).filter((job) => job.agentJobId !== agentJobId);
  }
}
