import type { HostFacts, ServiceFacts } from '../../jobs/service-facts.ts';

/** What the running program knows of itself. */
export interface Known {
  /** How the agent has lately answered for the project. */
  agent(projectId: string): ServiceFacts;
  /** How the code hosts that are set up have lately answered. */
  codeHosts(): readonly HostFacts[];
  /** What is wrong with the connection by which requests from Slack arrive, or null. */
  slackProblem(): string | null;
  /** What keeps its work from being done. */
  workProblems(): readonly string[];
}
