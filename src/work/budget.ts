import type { AgentFailure } from '../jobs/failure.ts';
import { allowedAtMs, type BudgetKind } from '../jobs/hourly-budget.ts';
import type { Job } from '../jobs/job.ts';
import type { Transaction } from '../store/store.ts';
import type { Tools } from './tools.ts';

const HOUR_MS = 3_600_000;

/**
 * Takes a place in the hourly budget of the job's project, or says why it has to wait, and until when. Counted from
 * the ledger, so that it survives restarts and is shared by replicas.
 */
export async function takeFromBudget(
  tools: Tools,
  tx: Transaction,
  job: Job,
  kind: BudgetKind,
): Promise<AgentFailure | null> {
  const nowMs = tools.clock.now();
  const startedAtMs = await tx.calls.agentCallsStartedAt(job.projectId, nowMs - HOUR_MS);
  const waiting = await tx.budgetQueue.waiting(job.projectId);
  const use = { perHour: tools.hourlyBudget, startedAtMs, waiting };
  const goesAtMs = allowedAtMs(use, job.id, kind, nowMs);
  if (goesAtMs <= nowMs) {
    await tx.budgetQueue.leave(job.id, kind);
    return null;
  }
  return {
    outcome: 'definite',
    reason: 'rate_limited',
    status: null,
    message: `the budget of ${tools.hourlyBudget} calls per hour is used up`,
    retryAfterMs: goesAtMs - nowMs,
  };
}
