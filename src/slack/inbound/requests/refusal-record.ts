import type { RefusedRequest } from '../connection/request-log.ts';
import type { SharedDeps } from '../deps.ts';

/**
 * Records for audits that somebody was refused, once for each request. The person has the answer by then, whether it can
 * be recorded or not.
 */
export function refusalRecorder({
  store,
  newContext,
  log,
}: Pick<SharedDeps, 'store' | 'newContext' | 'log'>) {
  return async ({ kind, key, teamId, userId, reason }: RefusedRequest): Promise<void> => {
    const { nowMs, newId } = newContext();
    // Now: the transactions of refusals may overtake each other.
    const id = newId();
    const keys = key === null ? [] : [`refused:${teamId}:${key}`];
    const refusal = { action: 'refusal', source: kind, jobId: null, outcome: reason } as const;
    try {
      await store.transaction(async (tx) => {
        if (!(await tx.inboundRequests.remember(keys, nowMs))) return;
        await tx.audit.record({ atMs: nowMs, teamId, userId, ...refusal }, id);
      });
    } catch (error) {
      log.warn('refusal_not_recorded', { user_id: userId, error });
    }
  };
}
