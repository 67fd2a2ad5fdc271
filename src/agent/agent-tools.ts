import type { EngineTools } from '#engine/apply-event.ts';
import type { AgentFailure, ServiceFacts } from '#jobs/agent-job.ts';
import type { Job } from '#jobs/job.ts';
import type { NotSent, SentPicture, Snippet } from '#jobs/requests/attachments.ts';
import type { LogFields } from '#runtime/redact.ts';
import { type AgentClient, unknownProjectError } from './client.ts';

export type AgentTools = EngineTools &
  Readonly<{
    agent: AgentClient;
    answered: ReturnType<typeof answeredJobs>;
    known: { readonly agent: (projectId: string) => ServiceFacts };
    /** Per project. */
    hourlyBudget: number;
    /** With people's names instead of ids. */
    readablePrompt: (teamId: string, prompt: string) => Promise<string>;
    readPictures: (teamId: string, pictures: readonly Snippet[]) => Promise<readonly ReadPicture[]>;
    /** Outside of the card. Never waits or fails. */
    show: (job: Job, isCheck: boolean) => void;
  }>;

export type ReadPicture = SentPicture | NotSent;

/** False: the project left the job's workspace, and its key must not be used. */
export function isBoundProject({ newContext }: AgentTools, { teamId, projectId }: Job): boolean {
  return newContext()
    .rulesOf(teamId)
    .projects.some(({ id }) => id === projectId);
}

/** Throws AgentError. */
export function requireBoundProject(tools: AgentTools, job: Job): void {
  if (!isBoundProject(tools, job)) throw unknownProjectError(job.projectId);
}

const MAX_WORDS_LENGTH = 200;

/** Words only if an administrator must act: those about other refusals may quote the request. */
export function factsOfFailure({ outcome, reason, status, words }: AgentFailure): LogFields {
  const facts = { outcome, reason, http_status: status };
  const isForOperator = reason === 'unauthorized' || reason === 'not_found';
  if (!isForOperator || words === undefined) return facts;
  const line = words.replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ');
  return { ...facts, agent_says: line.slice(0, MAX_WORDS_LENGTH).toWellFormed() };
}

/** Known to this process only. */
export function answeredJobs() {
  /** The last two of each project. */
  const byProject = new Map<string, readonly { agentJobId: string; atMs: number }[]>();
  const othersOf = (projectId: string, agentJobId: string) =>
    (byProject.get(projectId) ?? []).filter((job) => job.agentJobId !== agentJobId);
  return {
    note: (projectId: string, agentJobId: string, atMs: number): void => {
      byProject.set(projectId, [...othersOf(projectId, agentJobId).slice(-1), { agentJobId, atMs }]);
    },
    othersAtMs: (projectId: string, agentJobId: string) =>
      othersOf(projectId, agentJobId).at(-1)?.atMs ?? null,
  };
}
