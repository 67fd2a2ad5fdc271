import { isDeepStrictEqual } from 'node:util';
import { applyEvent, factsOf, release } from '../../engine/apply-event.ts';
import type { FairLimit } from '../../engine/claim-fairly.ts';
import type { AgentJob } from '../../jobs/agent-job.ts';
import { decide } from '../../jobs/decide/decide.ts';
import type { AnyJobContext, Decision } from '../../jobs/decision.ts';
import type { EventOf, JobEvent } from '../../jobs/event.ts';
import { isUnwatched, type Job } from '../../jobs/job.ts';
import { policyFor } from '../../jobs/policy.ts';
import { type Slowdown, slowedDown } from '../../jobs/schedule/slowdown.ts';
import type { CheckKind, UnchangedCheck, WatchedJob } from '../../store/queries/tasks/checks.ts';
import type { ClaimedTask, Transaction } from '../../store/store.ts';
import { AgentError } from '../client/attempt.ts';
import { type AgentTools, agentSays, requireBoundProject } from './agent-tools.ts';
import type { CheckBatches } from './check-batches.ts';
import { ReadQuota } from './read-quota.ts';

const TOO_MANY_REQUESTS = 429;
/** Such a pause is over before anybody could read of it. */
const SHORT_PAUSE_MS = 5_000;

interface Watched extends WatchedJob {
  readonly job: Job & { readonly agentJob: AgentJob };
}

/** Reads the agent job and decides what is new; the decision schedules the next check. */
export async function checkJob(
  tools: AgentTools,
  { batches, readers }: { batches: CheckBatches; readers: FairLimit },
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
  const lateMs = Math.max(0, tools.clock.now() - task.dueAtMs);
  const newContext = () => ({ ...tools.newContext(), lateMs });
  // A job still waiting for its turn when the program stops is left to the next process.
  const read = await readers.use(task.group, async () =>
    tools.stopping.aborted ? null : readAgentJob(tools, job, job.agentJob),
  );
  if (read === null) return release(tools, task);
  const { event } = read;
  if (await settleUnchanged(newContext(), batches, { kind, lease: task.lease }, watched, event)) {
    tools.showChecked(job);
    return;
  }
  const write = async (tx: Transaction): Promise<Job> => {
    const { job: checked } = await applyEvent(tx, job.id, event, newContext());
    await tx.tasks.complete(task.lease);
    await noteRateLimit(tools, tx, job.projectId, read);
    return checked;
  };
  const after = await tools.store.transaction(write);
  tools.showChecked(after);
}

/**
 * Most checks find nothing new: then the job is neither locked nor written, and the next checks of many jobs
 * are written together. Whatever changed the job meanwhile has rescheduled the check, which sees it.
 */
async function settleUnchanged(
  context: AnyJobContext,
  batches: CheckBatches,
  check: Pick<UnchangedCheck, 'kind' | 'lease'>,
  watched: WatchedJob,
  event: JobEvent,
): Promise<boolean> {
  const { job, saved, hasUnsent } = watched;
  if (hasUnsent) return false;
  const policy = policyFor(context.policy, context.rulesOf(job.teamId), job, saved);
  const decision = decide({ job, followUps: [] }, event, { ...context, policy });
  const nextCheckAtMs = nextCheckIfUnchanged(watched, decision, check.kind);
  return nextCheckAtMs !== null && batches.putOff({ ...check, nextCheckAtMs });
}

/** A 429 on a read slows down all reads of the project, on all replicas. */
async function noteRateLimit(
  { clock, log }: AgentTools,
  tx: Transaction,
  projectId: string,
  { event, askedAtMs }: AgentRead,
): Promise<void> {
  if (event.type !== 'check_failed' || event.failure.status !== TOO_MANY_REQUESTS) return;
  const rejected = { askedAtMs, retryAfterMs: event.failure.retryAfterMs };
  const nowMs = clock.now();
  let pausedUntilMs = nowMs;
  const slowDown = (before: Slowdown | null) => {
    pausedUntilMs = Math.max(nowMs, before?.untilMs ?? 0);
    return slowedDown(before, rejected, nowMs);
  };
  const { share, untilMs } = await tx.readBudget.slowDown(projectId, slowDown, nowMs);
  if (untilMs - pausedUntilMs > SHORT_PAUSE_MS) await tx.checks.refreshCardsOf(projectId, nowMs);
  log.warn('reads_slowed_down', { project_id: projectId, share, pause_ms: untilMs - nowMs });
}

function isWatched(watched: WatchedJob | null): watched is Watched {
  if (!watched?.job.agentJob || isUnwatched(watched.job)) return false;
  return watched.job.stage.kind === 'working' || watched.job.stage.kind === 'ended';
}

/**
 * When to check again if nothing else follows; null if there is more. A decision that schedules any other
 * task at each check would make every check take the slow path.
 */
function nextCheckIfUnchanged(
  { job: before, isCardPlanned }: WatchedJob,
  { job, followUps, calls, tasks }: Decision,
  checkKind: CheckKind,
): number | null {
  if (followUps.length > 0 || calls.length > 0 || before.checkedAtMs === null) return null;
  const [check, ...others] = tasks.filter(
    ({ kind, ifScheduled }) => kind !== 'refresh_card' || ifScheduled === 'replace' || !isCardPlanned,
  );
  if (check?.kind !== checkKind || others.length > 0) return null;
  return isDeepStrictEqual({ ...job, checkedAtMs: before.checkedAtMs }, before) ? check.runAtMs : null;
}

/**
 * For a person who waits: whether the agent has a job; null: it does not say, or must not be asked now. The
 * read goes before waiting ones, and counts towards the project's limit.
 */
export function hasJob(
  { store, clock, agent }: Pick<AgentTools, 'store' | 'clock' | 'agent'>,
  readsPerMinute: number,
) {
  const quota = new ReadQuota(readsPerMinute, { isOfEnded: false });
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

type AgentRead = Readonly<{
  askedAtMs: number;
  event: EventOf<'job_checked' | 'check_failed'>;
}>;

async function readAgentJob(tools: AgentTools, job: Job, before: AgentJob): Promise<AgentRead> {
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
    // The answer describes the requested job, whatever id it repeats.
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
