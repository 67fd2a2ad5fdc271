import type { EngineTools } from '../../engine/tools.ts';
import type { AgentFacts } from '../../jobs/job.ts';
import type { Workspaces } from '../workspace/workspace.ts';

/** What the home tells besides a person's jobs. */
export interface Surroundings {
  /** How the agent API has lately answered for the project. */
  agent(projectId: string): AgentFacts;
  /** What is wrong with the connection by which Slack's gestures arrive, or null. */
  slackProblem(): string | null;
}

/** What the handlers of tasks in Slack work with. */
export interface SlackTools extends EngineTools {
  /** Each job is worked on in its own. */
  readonly workspaces: Workspaces;
  /** In characters. */
  readonly promptMaxLength: number;
  /** Create and message calls per project and hour. */
  readonly hourlyBudget: number;
  readonly surroundings: Surroundings;
}
