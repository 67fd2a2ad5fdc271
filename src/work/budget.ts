import type { AgentFailure } from '../jobs/failure.ts';
import type { Transaction } from '../store/store.ts';
import type { Tools } from './tools.ts';

const HOUR_MS = 3_600_000;
/** New jobs leave this share of the budget to the follow-ups of running ones, which people wait for. */
const KEPT_FOR_FOLLOW_UPS = 0.1;

/**
 * Why the project's hourly budget allows no call of this kind now, or null. Counted from the ledger, so that it
 * survives restarts and is shared by replicas.
 */
export async function budgetFailure(
  tools: Tools,
  tx: Transaction,
  projectId: string,
  kind: 'create_job' | 'send_message',
): Promise<AgentFailure | null> {
  const kept = kind === 'create_job' ? Math.floor(tools.hourlyBudget * KEPT_FOR_FOLLOW_UPS) : 0;
  const limit = tools.hourlyBudget - kept;
  const nowMs = tools.clock.now();
  const freesAtMs = await tx.calls.agentCallStartedAt(projectId, limit, nowMs - HOUR_MS);
  if (freesAtMs === null) return null;
  return {
    outcome: 'definite',
    reason: 'rate_limited',
    status: null,
    message: `the budget of ${tools.hourlyBudget} calls per hour is used up`,
    retryAfterMs: freesAtMs + HOUR_MS - nowMs,
  };
}
