import { factsOf } from '../../engine/job-facts.ts';
import type { AgentJob } from '../../jobs/agent-job.ts';
import type { JobEvent } from '../../jobs/event.ts';
import type { Job } from '../../jobs/job.ts';
import { AgentError } from '../client/errors.ts';
import { agentSays } from './agent-says.ts';
import type { AgentTools } from './agent-tools.ts';
import { requireBoundProject } from './bound-project.ts';

type CheckEvent = Extract<JobEvent, { type: 'job_checked' | 'check_failed' }>;

/** Asks the agent API; what it says, or why it says nothing, is an event of the job. */
export async function readAgentJob(tools: AgentTools, job: Job, before: AgentJob): Promise<CheckEvent> {
  const startedAtMs = tools.clock.now();
  const facts = { ...factsOf(job), agent_job_id: before.id };
  const durationMs = () => tools.clock.now() - startedAtMs;
  try {
    requireBoundProject(tools, job);
    const agentJob = await tools.agent.getJob(job.projectId, before.id);
    tools.answered.note(job.projectId, before.id, tools.clock.now());
    const { status } = agentJob;
    const isChanged = status !== before.status;
    const seen = { outcome: 'done', status, is_changed: isChanged, duration_ms: durationMs() };
    tools.log[isChanged ? 'info' : 'debug']('agent_job_read', { ...facts, ...seen });
    // The answer describes the job that was asked for, whatever id it repeats.
    return { type: 'job_checked', agentJob: { ...agentJob, id: before.id } };
  } catch (error) {
    if (!(error instanceof AgentError)) throw error;
    const { failure } = error;
    const { outcome, reason, status } = failure;
    const failed = { outcome, reason, http_status: status, ...agentSays(failure), duration_ms: durationMs() };
    tools.log.warn('agent_job_read', { ...facts, ...failed });
    const othersAnsweredAtMs = tools.answered.othersAtMs(job.projectId, before.id);
    return { type: 'check_failed', agentJobId: before.id, failure, othersAnsweredAtMs };
  }
}
