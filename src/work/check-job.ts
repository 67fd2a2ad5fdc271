import { AgentError } from '../agent/errors.ts';
import type { AgentJob } from '../jobs/agent-job.ts';
import type { JobEvent } from '../jobs/event.ts';
import { isUnwatched, type Job } from '../jobs/job.ts';
import { applyEvent } from '../store/apply-event.ts';
import type { ClaimedTask } from '../store/store.ts';
import { requireBoundProject } from './bound-project.ts';
import { factsOf } from './job-facts.ts';
import type { WorkingStatus } from './refresh/working-status.ts';
import type { Tools } from './tools.ts';

/** Reads the agent job and tells what is new; the decision schedules the next check. */
export async function checkJob(tools: Tools, status: WorkingStatus, task: ClaimedTask): Promise<void> {
  const job = await tools.store.transaction((tx) => tx.jobs.get(task.subject));
  const isWatched = job?.stage.kind === 'working' || job?.stage.kind === 'ended';
  if (!isWatched || job.agentJob === null || isUnwatched(job)) {
    await tools.store.transaction((tx) => tx.tasks.complete(task.lease));
    return;
  }
  const nowMs = tools.clock.now();
  const waitMs = tools.reads.take(job.projectId, job.id, nowMs);
  if (waitMs > 0) {
    await tools.store.transaction((tx) => tx.tasks.postpone(task.lease, nowMs + waitMs));
    return;
  }
  const event = await read(tools, job, job.agentJob);
  const after = await tools.store.transaction(async (tx) => {
    await tx.tasks.fence(task.lease);
    const checked = await applyEvent(tx, job.id, event, tools.newContext());
    await tx.tasks.complete(task.lease);
    return checked;
  });
  status.show(tools, after);
}

async function read(tools: Tools, job: Job, before: AgentJob): Promise<JobEvent> {
  const startedAtMs = tools.clock.now();
  const facts = { ...factsOf(job), agent_job_id: before.id };
  const durationMs = () => tools.clock.now() - startedAtMs;
  try {
    requireBoundProject(tools, job);
    const agentJob = await tools.agent.getJob(job.projectId, before.id);
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
    const failed = { outcome, reason, http_status: status, duration_ms: durationMs() };
    tools.log.warn('agent_job_read', { ...facts, ...failed });
    return { type: 'check_failed', agentJobId: before.id, failure };
  }
}
