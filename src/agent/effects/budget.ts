import type { AgentFailure } from '../../jobs/agent-job.ts';
import { isUnattended, type Job } from '../../jobs/job.ts';
import { allowedAtMs, type BudgetKind } from '../../jobs/schedule/hourly-budget.ts';
import type { Transaction } from '../../store/store.ts';
import type { AgentTools } from './agent-tools.ts';

const HOUR_MS = 3_600_000;
/** A place may become free before its time: somebody withdraws, or the budget is raised. */
const FIRST_LOOKS_AGAIN_MS = 60_000;

export interface OverBudget {
  readonly failure: AgentFailure;
  /** When it is worth while to ask again. */
  readonly askAgainAtMs: number;
}

/**
 * Takes a place in the hourly budget of the job's project, or says why it has to wait, and until when. Counted from
 * the ledger, so that it survives restarts and is shared by replicas. The first start in line asks every minute, and
 * a call that succeeds wakes it (`wakeNextStart`): so a place that is free too early is found by all who can use it.
 */
export async function takeFromBudget(
  tools: AgentTools,
  tx: Transaction,
  job: Job,
  kind: BudgetKind,
): Promise<OverBudget | null> {
  const nowMs = tools.clock.now();
  const startedAtMs = await tx.calls.agentCallsStartedAt(job.projectId, nowMs - HOUR_MS, nowMs);
  const waiting = await tx.budgetQueue.waiting(job.projectId);
  const use = { perHour: tools.hourlyBudget, startedAtMs, waiting };
  const isByItself = isUnattended(job);
  const goesAtMs = allowedAtMs(use, { jobId: job.id, kind, isUnattended: isByItself }, nowMs);
  if (goesAtMs <= nowMs) {
    await tx.budgetQueue.leave(job.id, kind);
    return null;
  }
  const ahead = waiting.find((other) => other.kind === 'create_job' && other.isUnattended === isByItself);
  const isFirst = kind === 'create_job' && (ahead?.jobId ?? job.id) === job.id;
  return {
    failure: {
      outcome: 'definite',
      reason: 'rate_limited',
      status: null,
      message: `the budget of ${tools.hourlyBudget} calls per hour is used up`,
      retryAfterMs: goesAtMs - nowMs,
    },
    askAgainAtMs: isFirst ? Math.min(goesAtMs, nowMs + FIRST_LOOKS_AGAIN_MS) : goesAtMs,
  };
}

/**
 * The agent has taken a call of the project: the first start in line looks again. After a failure, the starts in line
 * would only wake each other, without a pause.
 */
export async function wakeNextStart(tx: Transaction, { projectId }: Job, nowMs: number): Promise<void> {
  const jobId = await tx.budgetQueue.firstStart(projectId);
  if (jobId !== null) await tx.tasks.runNowUnlessLocked('call_agent', `agent:${jobId}`, nowMs);
}
