import type { DecisionContext } from '../../../jobs/decision.ts';
import type { Transaction } from '../../../store/store.ts';
import type { ListenerDeps } from '../deps.ts';

export interface PressRecord {
  readonly userId: string;
  /** The id of the button. */
  readonly button: string;
  /** Null: it is about none. */
  readonly jobId: string | null;
  /** False: it was too late. */
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
