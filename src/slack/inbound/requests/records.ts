import type { DecisionContext } from '../../../jobs/decision.ts';
import type { Transaction } from '../../../store/store.ts';
import type { RefusedRequest } from '../connection/request-log.ts';
import type { ListenerDeps, SharedDeps } from '../deps.ts';

/** Records a refusal for audits, once for each request. The person has the answer either way. */
export function refusalRecorder({
  store,
  newContext,
  log,
}: Pick<SharedDeps, 'store' | 'newContext' | 'log'>) {
  return async ({ kind, key, teamId, userId, reason }: RefusedRequest): Promise<void> => {
    const { nowMs, newId } = newContext();
    // The time is now: transactions of refusals may overtake each other.
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

export interface PressRecord {
  readonly userId: string;
  /** The button's id. */
  readonly button: string;
  /** Null: none. */
  readonly jobId: string | null;
  /** False: too late. */
  readonly hasEffect: boolean;
}

/** Records for audits who pressed what, in the transaction that stores the press. */
export function recordPress(
  tx: Transaction,
  { teamId }: Pick<ListenerDeps, 'teamId'>,
  { nowMs, newId }: Pick<DecisionContext, 'nowMs' | 'newId'>,
  { userId, button, jobId, hasEffect }: PressRecord,
): Promise<void> {
  const outcome = hasEffect ? 'accepted' : 'too_late';
  const press = { action: 'press', source: button, jobId, outcome } as const;
  return tx.audit.record({ atMs: nowMs, teamId, userId, ...press }, newId());
}
