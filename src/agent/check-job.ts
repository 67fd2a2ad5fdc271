import { isDeepStrictEqual } from 'node:util';
import DataLoader from 'dataloader';
import { type AnyJobContext, applyEvent, factsOf, policyOf, release } from '#engine/apply-event.ts';
import type { FairLimit } from '#engine/claim-fairly.ts';
import type { AgentJob } from '#jobs/agent-job.ts';
import { decide } from '#jobs/decide/decide.ts';
import type { Decision } from '#jobs/decide/decision-builder.ts';
import type { EventOf } from '#jobs/event.ts';
import { isUnwatched, type Job } from '#jobs/job.ts';
import { type Slowdown, slowedDown } from '#jobs/schedule/slowdown.ts';
import type { Clock } from '#runtime/clock.ts';
import { StoreError } from '#store/engines/database.ts';
import type { CheckKind, UnchangedCheck, WatchedJob } from '#store/queries/checks.ts';
import type { ClaimedTask, Store, Transaction } from '#store/store.ts';
import { type AgentTools, factsOfFailure, requireBoundProject } from './agent-tools.ts';
import { AgentError } from './client.ts';
import { readQuota } from './read-quota.ts';

const SHORT_PAUSE_MS = 5_000;

interface AgentRead {
  readonly askedAtMs: number;
  readonly event: EventOf<'job_checked' | 'check_failed'>;
}

export async function checkJob(
  tools: AgentTools,
  { batches, inTurn }: { batches: ReturnType<typeof checkBatches>; inTurn: FairLimit },
  kind: CheckKind,
  task: ClaimedTask,
): Promise<void> {
  const { subject, lease, dueAtMs, group } = task;
  const { store, clock, stopping, show } = tools;
  const watched = await batches.jobs.load(subject);
  const before = watched && agentJobToCheck(watched.job, kind);
  if (watched === null || before === null) {
    return store.transaction((tx) => tx.tasks.complete(lease));
  }
  const { job } = watched;
  const lateMs = Math.max(0, clock.now() - dueAtMs);
  const newContext = () => ({ ...tools.newContext(), lateMs });
  const read = await inTurn(group, async () => (stopping.aborted ? null : readAgentJob(tools, job, before)));
  if (read === null) return release(tools, task);
  const { event } = read;
  // Most checks find nothing new: then the job is neither locked nor written. Whatever changes the job
  // meanwhile reschedules the check.
  const nextCheckAtMs = nextCheckIfUnchanged(newContext(), watched, event, kind);
  if (nextCheckAtMs !== null && (await batches.unchanged.load({ kind, lease, nextCheckAtMs }))) {
    return show(job, true);
  }
  const after = await store.transaction(async (tx) => {
    const applied = await applyEvent(tx, job.id, event, newContext());
    await tx.tasks.complete(lease);
    await noteRateLimit(tools, tx, job.projectId, read);
    return applied.job;
  });
  show(after, true);
}

function agentJobToCheck(job: Job, kind: CheckKind) {
  const isEnded = job.stage.kind === 'ended';
  if (!isEnded && (job.stage.kind !== 'working' || kind === 'check_ended_job')) return null;
  return isUnwatched(job) ? null : job.agentJob;
}

function nextCheckIfUnchanged(
  context: AnyJobContext,
  { job: before, saved, hasUnsent }: WatchedJob,
  event: AgentRead['event'],
  checkKind: CheckKind,
) {
  if (hasUnsent || before.checkedAtMs === null) return null;
  const policy = policyOf({ job: before, saved }, context);
  const state = { job: before, followUps: [] };
  const decision: Decision = decide(state, event, { ...context, policy }, context.features.decisions);
  const { job, followUps, calls, tasks } = decision;
  if (followUps.length > 0 || calls.length > 0) return null;
  // A decision that schedules another task at each check would make every check slow.
  const [check, ...others] = tasks;
  if (check?.kind !== checkKind || others.length > 0) return null;
  return isDeepStrictEqual({ ...job, checkedAtMs: before.checkedAtMs }, before) ? check.runAtMs : null;
}

/** A 429 slows down all reads of the project, on all replicas. */
async function noteRateLimit(
  { clock, log }: AgentTools,
  tx: Transaction,
  projectId: string,
  { event, askedAtMs }: AgentRead,
) {
  if (event.type !== 'check_failed' || event.failure.status !== 429) return;
  const rejected = { askedAtMs, ...event.failure };
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

/**
 * Null: the agent does not say, or must not be asked now. The read goes before waiting ones and counts
 * towards the project's limit.
 */
export function hasJob({ store, clock, agent }: AgentTools, readsPerMinute: number) {
  const quota = readQuota(readsPerMinute, { isOfEnded: false });
  return async (projectId: string, agentJobId: string) => {
    if (!(await store.transaction((tx) => quota.takeFirst(tx, projectId, clock.now())))) return null;
    try {
      await agent.getJob(projectId, agentJobId);
      return true;
    } catch (error) {
      if (!(error instanceof AgentError)) throw error;
      return error.failure.reason === 'not_found' ? false : null;
    }
  };
}

async function readAgentJob(tools: AgentTools, job: Job, { id, ...before }: AgentJob): Promise<AgentRead> {
  const { clock, log, agent, answered } = tools;
  const { projectId } = job;
  const askedAtMs = clock.now();
  const facts = { ...factsOf(job), agent_job_id: id };
  const durationMs = () => clock.now() - askedAtMs;
  try {
    requireBoundProject(tools, job);
    const agentJob = await agent.getJob(projectId, id);
    answered.note(projectId, id, clock.now());
    const { status } = agentJob;
    const isChanged = status !== before.status;
    const seen = { outcome: 'done', status, is_changed: isChanged, duration_ms: durationMs() };
    log[isChanged ? 'info' : 'debug']('agent_job_read', { ...facts, ...seen });
    return { askedAtMs, event: { type: 'job_checked', agentJob, before: job } };
  } catch (error) {
    if (!(error instanceof AgentError)) throw error;
    const { failure } = error;
    log.warn('agent_job_read', { ...facts, ...factsOfFailure(failure), duration_ms: durationMs() });
    const othersAnsweredAtMs = answered.othersAtMs(projectId, id);
    return { askedAtMs, event: { type: 'check_failed', agentJobId: id, failure, othersAnsweredAtMs } };
  }
}

const GATHERED_FOR_MS = 5;
/** Keeps transactions short; for a much longer list, SQLite would scan all tasks. */
const MAX_AT_ONCE = 128;

export function checkBatches(store: Store, clock: Clock) {
  return {
    jobs: batcher<string, WatchedJob | null>(store, setImmediate, async (tx, jobIds) => {
      const found = await tx.checks.read(jobIds);
      return jobIds.map((id) => found.get(id) ?? null);
    }),
    /** Puts the check off. False: another event owns the task now. */
    unchanged: batcher<UnchangedCheck, boolean>(
      store,
      (run) => setTimeout(run, GATHERED_FOR_MS),
      async (tx, checks) => {
        const ended = await tx.checks.endUnchanged(checks, clock.now());
        return checks.map(({ lease }) => ended.has(lease.id));
      },
    ),
  };
}

/** An item that fails the batch fails alone. */
function batcher<I, O>(
  store: Store,
  schedule: (run: () => void) => unknown,
  work: (tx: Transaction, items: readonly I[]) => Promise<O[]>,
): DataLoader<I, O> {
  const batch = (items: readonly I[]) => store.transaction((tx) => work(tx, items));
  const orEachAlone = async (items: readonly I[]): Promise<readonly (O | Error)[]> => {
    try {
      return await batch(items);
    } catch (error) {
      // A broken store fails all items, and their writes may be stored. A row locked by another session fails
      // alone.
      if (items.length === 1 || (error instanceof StoreError && !error.isLocked)) throw error;
      const alone = items.map((item) => batch([item]).catch((reason: Error) => [reason]));
      return (await Promise.all(alone)).flat();
    }
  };
  const batchScheduleFn = (run: () => void) => void schedule(run);
  return new DataLoader(orEachAlone, { cache: false, maxBatchSize: MAX_AT_ONCE, batchScheduleFn });
}
