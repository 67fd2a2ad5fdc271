import { applyEvent } from '../../engine/apply-event.ts';
import { leave } from '../../engine/leave.ts';
import type { AgentJob } from '../../jobs/agent-job.ts';
import { decide } from '../../jobs/decide/decide.ts';
import type { JobEvent } from '../../jobs/event.ts';
import { isUnwatched, type Job } from '../../jobs/job.ts';
import { policyFor } from '../../jobs/policy.ts';
import type { CheckKind, UnchangedCheck, WatchedJob } from '../../store/queries/tasks/checks.ts';
import type { ClaimedTask } from '../../store/store.ts';
import type { AgentTools } from './agent-tools.ts';
import type { CheckBatches } from './check-batches.ts';
import { quietFollowing } from './quiet-following.ts';
import { readAgentJob } from './read-agent-job.ts';
import type { Slots } from './slots.ts';

/** What checks share. */
export interface CheckTools {
  readonly batches: CheckBatches;
  /** Those who read at the same time. */
  readonly readers: Slots;
}

interface Watched extends WatchedJob {
  readonly job: Job & { readonly agentJob: AgentJob };
}

/** Reads the agent job and tells what is new; the decision schedules the next check. */
export async function checkJob(
  tools: AgentTools,
  { batches, readers }: CheckTools,
  kind: CheckKind,
  task: ClaimedTask,
): Promise<void> {
  const watched = await batches.read(task.subject);
  const isOpenAgain = kind === 'check_ended_job' && watched?.job.stage.kind !== 'ended';
  if (!isWatched(watched) || isOpenAgain) {
    await tools.store.transaction((tx) => tx.tasks.complete(task.lease));
    return;
  }
  const { job } = watched;
  // A job that waited for its turn until the program stops is left to the next process.
  const event = await readers.use(task.group, async () =>
    tools.stopping.aborted ? null : readAgentJob(tools, job, job.agentJob),
  );
  if (event === null) return leave(tools, task);
  if (await isQuietlyDone(tools, batches, { kind, lease: task.lease }, watched, event)) {
    tools.showWorking(job);
    return;
  }
  const after = await tools.store.transaction(async (tx) => {
    await tx.tasks.fence(task.lease);
    const checked = await applyEvent(tx, job.id, event, tools.newContext());
    await tx.tasks.complete(task.lease);
    return checked;
  });
  tools.showWorking(after);
}

/**
 * Most checks find nothing new: then the job is neither locked nor written, and the next check is written together
 * with those of other jobs. What changed the job in the meantime has scheduled the check again, and is seen by that.
 */
async function isQuietlyDone(
  tools: AgentTools,
  batches: CheckBatches,
  check: Pick<UnchangedCheck, 'kind' | 'lease'>,
  { job, saved, hasUnsent, isCardPlanned }: WatchedJob,
  event: JobEvent,
): Promise<boolean> {
  if (hasUnsent) return false;
  const context = tools.newContext();
  const policy = policyFor(context.policy, context.rulesOf(job.teamId), job, saved);
  const decision = decide({ job, followUps: [] }, event, { ...context, policy });
  const following = quietFollowing(job, decision, check.kind, context.nowMs);
  if (following === null) return false;
  const { nextCheckAtMs, cardAtMs } = following;
  const isDone = await batches.putOff({ ...check, nextCheckAtMs });
  if (isDone && cardAtMs !== null && !isCardPlanned)
    await batches.refreshCard({ jobId: job.id, runAtMs: cardAtMs });
  return isDone;
}

function isWatched(watched: WatchedJob | null): watched is Watched {
  if (watched === null || watched.job.agentJob === null || isUnwatched(watched.job)) return false;
  return watched.job.stage.kind === 'working' || watched.job.stage.kind === 'ended';
}
