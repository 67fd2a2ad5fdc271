import type { EngineTools } from '../../engine/tools.ts';
import type { Job } from '../../jobs/job.ts';
import type { AgentClient } from '../client/client.ts';
import type { AnsweredJobs } from './answered-jobs.ts';

/** What the handlers of tasks about agent jobs work with. */
export interface AgentTools extends EngineTools {
  readonly agent: AgentClient;
  readonly answered: AnsweredJobs;
  /** Create and message calls per project and hour. */
  readonly hourlyBudget: number;
  /** The prompt as the agent reads it: people's names in place of their ids. */
  readonly readablePrompt: (teamId: string, prompt: string) => Promise<string>;
  /** Shows people that the agent is at work on the job. Waits for nothing, and never fails. */
  readonly showWorking: (job: Job) => void;
}
