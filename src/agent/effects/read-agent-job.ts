import { factsOf } from '../../engine/tools.ts';
import type { AgentJob } from '../../jobs/agent-job.ts';
import type { JobEvent } from '../../jobs/event.ts';
import type { Job } from '../../jobs/job.ts';
import { AgentError } from '../client/errors.ts';
import { type AgentTools, agentSays, requireBoundProject } from './agent-tools.ts';

export interface AgentRead {
  readonly askedAtMs: number;
  /** What the agent API says, or why it says nothing. */
  readonly event: Extract<JobEvent, { type: 'job_checked' | 'check_failed' }>;
}

export async function readAgentJob(tools: AgentTools, job: Job, before: AgentJob): Promise<AgentRead> {
  const askedAtMs = tools.clock.now();
  const facts = { ...factsOf(job), agent_job_id: before.id };
  const durationMs = () => tools.clock.now() - askedAtMs;
  try {
    requireBoundProject(tools, job);
    const agentJob = await tools.agent.getJob(job.projectId, before.id);
    tools.answered.note(job.projectId, before.id, tools.clock.now());
    const { status } = agentJob;
    const isChanged = status !== before.status;
    const seen = { outcome: 'done', status, is_changed: isChanged, duration_ms: durationMs() };
    tools.log[isChanged ? 'info' : 'debug']('agent_job_read', { ...facts, ...seen });
    // The answer describes the job that was asked for, whatever id it repeats.
    return { askedAtMs, event: { type: 'job_checked', agentJob: { ...agentJob, id: before.id } } };
  } catch (error) {
    if (!(error instanceof AgentError)) throw error;
    const { failure } = error;
    const { outcome, reason, status } = failure;
    const failed = { outcome, reason, http_status: status, ...agentSays(failure), duration_ms: durationMs() };
    tools.log.warn('agent_job_read', { ...facts, ...failed });
    const othersAnsweredAtMs = tools.answered.othersAtMs(job.projectId, before.id);
    return {
      askedAtMs,
      event: { type: 'check_failed', agentJobId: before.id, failure, othersAnsweredAtMs },
    };
  }
}
