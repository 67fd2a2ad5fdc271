import { applyEvent } from '#engine/apply-event.ts';
import type { DecisionContext } from '#jobs/decide/decision-builder.ts';
import type { JobEvent } from '#jobs/event.ts';
import { StoreError } from '#store/engines/database.ts';
import type { Transaction } from '#store/store.ts';
import type { SlackMessage } from '../views/message.ts';
import { notStoredView, storingUnclearView } from '../views/private-answers.ts';
import type { Seat } from '../workspace/poster.ts';
import { noteRequest, type RefusedRequest } from './connection/requests.ts';
import { inTime, Refused } from './interaction.ts';
import type { Interaction, ListenerDeps, Press, SharedDeps } from './listener.ts';

/** Nothing is stored, or nobody knows. */
class NotStored extends Refused {}

/**
 * Runs `write` again if its commit may have succeeded. `admit` returns the problem; it calls Slack, so it runs
 * before any transaction.
 */
export async function storeRequest<T>(
  deps: ListenerDeps,
  write: () => Promise<T | Refused>,
  admit: () => Promise<SlackMessage | null> = async () => null,
): Promise<T> {
  const attempt = async (isSecond: boolean): Promise<T | Refused> => {
    try {
      const problem = await admit();
      return problem === null ? await write() : new Refused(problem);
    } catch (error) {
      if (error instanceof Refused) return error;
      deps.log.error('inbound_request_not_stored', { error });
      if (isSecond) return new NotStored(storingUnclearView);
      const mayBeStored = error instanceof StoreError && error.mayBeCommitted;
      return mayBeStored ? attempt(true) : new NotStored(notStoredView);
    }
  };
  const stored = await inTime(deps, 'store', attempt(false), new NotStored(storingUnclearView));
  if (stored instanceof NotStored) noteRequest({ outcome: 'failed' });
  if (stored instanceof Refused) throw stored;
  return stored;
}

/** If the store fails, the press stays unacknowledged: Slack then shows a warning at the button. */
export async function storePress<T>(
  press: Press,
  stored: Promise<T>,
  show: (answer: SlackMessage) => Promise<unknown> = press.tellBeside,
): Promise<T> {
  try {
    return await stored;
  } catch (error) {
    if (!(error instanceof NotStored)) throw error;
    await show(error.answer);
    throw new Error(`the press of ${press.buttonId} was not stored`);
  }
}

/** Null: already delivered. */
export async function applyOnce(
  tx: Transaction,
  deps: ListenerDeps,
  { userId, keys }: Pick<Interaction, 'userId' | 'keys'>,
  { button, jobId, event }: { button: string; jobId: string; event: JobEvent },
) {
  const context = deps.newContext();
  if (!(await tx.inboundRequests.remember(keys, context.nowMs))) return null;
  const after = await applyEvent(tx, jobId, event, context);
  await recordPress(tx, deps, context, { userId, button, jobId, hasEffect: after.hasEffect });
  return after;
}

export function recordPress(
  tx: Transaction,
  { teamId }: ListenerDeps,
  { nowMs: atMs, newId }: DecisionContext,
  press: { userId: string; button: string; jobId: string | null; hasEffect: boolean },
): Promise<void> {
  const { userId, button: source, jobId } = press;
  const outcome = press.hasEffect ? 'accepted' : 'too_late';
  return tx.audit.record({ atMs, teamId, userId, action: 'press', source, jobId, outcome }, newId());
}

/** Remembers `answerKeys` last: a doubled answer does less harm than a lost one. */
export async function answerWriter(
  deps: ListenerDeps,
  { keys, ...place }: Seat & { keys: readonly string[] },
  message: SlackMessage,
  elsewhere = message,
  answerKeys = keys,
): Promise<void> {
  const isKnown = await deps.store.transaction((tx) => tx.inboundRequests.isKnown([...keys, ...answerKeys]));
  noteRequest({ outcome: isKnown ? 'duplicate' : 'accepted' });
  if (isKnown) return;
  await deps.poster.replyPrivately(place, message, elsewhere);
  await deps.store.transaction((tx) => tx.inboundRequests.remember(answerKeys, deps.clock.now()));
}

export function refusalRecorder(deps: Pick<SharedDeps, 'store' | 'newContext' | 'log'>) {
  const { store, newContext, log } = deps;
  return async ({ kind, key, teamId, userId, reason }: RefusedRequest) => {
    const { nowMs: atMs, newId } = newContext();
    // Time and id come before the transaction: refusals may overtake each other.
    const id = newId();
    const keys = key === null ? [] : [`refused:${teamId}:${key}`];
    const refusal = { action: 'refusal', source: kind, jobId: null, outcome: reason } as const;
    try {
      await store.transaction(async (tx) => {
        if (await tx.inboundRequests.remember(keys, atMs)) {
          await tx.audit.record({ atMs, teamId, userId, ...refusal }, id);
        }
      });
    } catch (error) {
      log.warn('refusal_not_recorded', { user_id: userId, error });
    }
  };
}
