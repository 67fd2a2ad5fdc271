import type { AnyJobContext } from '../jobs/decision.ts';
import type { Job } from '../jobs/job.ts';
import type { Policy } from '../jobs/policy.ts';
import { type ClaimedTask, LeaseLostError, type LedgerCall, type Transaction } from '../store/store.ts';
import { policyOf } from './apply-event.ts';
import { persist } from './persist.ts';
import { SEND_WITHIN_MS, TooLateToSendError } from './runtime/send-limit.ts';
import { type EngineTools, release } from './tools.ts';

/** The first call of a lane that has no outcome, with its job as it is now. */
export interface DueCall {
  readonly call: LedgerCall;
  readonly job: Job;
  readonly policy: Policy;
}

/** The lane has to wait before its next call. `delayUntilMs`: nothing was attempted, so no attempt is counted. */
export type Wait = { readonly retryAtMs: number } | { readonly delayUntilMs: number };

/** How one kind of outward calls is carried out, each call at most once. */
export interface Effect<Prepared, Result> {
  /** Looks up what the request needs. It runs before the call is started, so a crash here leaves the call pending. */
  prepare(due: DueCall): Promise<Prepared>;
  /** In the transaction that starts the call. A result: the call is not made, and this is settled instead. */
  admit(tx: Transaction, due: DueCall): Promise<Result | null>;
  /** Makes the call. What it throws is classified. */
  perform(started: DueCall, prepared: Prepared): Promise<Result>;
  /** What an error of `perform` means, also TooLateToSendError. Throws the error again if it knows nothing of it. */
  classify(started: DueCall, error: unknown): Result;
  /** Finds out what became of a call that was found started. */
  recover(started: DueCall): Promise<Result>;
  /** The result to write, given the call's current row and whether the lease is still held; null to discard it. */
  stillCounts(result: Result, call: LedgerCall, isHeld: boolean): Result | null;
  /** Writes the outcome with what follows from it. Returns null if the lane may go on. */
  settle(tx: Transaction, due: DueCall, result: Result, context: AnyJobContext): Promise<Wait | null>;
}

/** `taken_over`: another process goes on with the lane. Null: nothing is next, or the lane has to wait. */
type Next = DueCall | 'taken_over' | null;

type Start = { readonly started: DueCall } | { readonly started: null; readonly next: Next };

/** Makes the calls of one lane, one after the other: next, start (a commit of its own), perform, settle, next. */
export async function runLane<Prepared, Result>(
  tools: EngineTools,
  effect: Effect<Prepared, Result>,
  task: ClaimedTask,
): Promise<void> {
  const { store, clock, stopping } = tools;
  for (let next: Next = await store.transaction((tx) => nextCall(tools, tx, task)); next !== null; ) {
    if (next === 'taken_over') throw new LeaseLostError(task.lease.taskId);
    if (stopping.aborted) return release(tools, task);
    if (next.call.state === 'started') next = await settle(next, await effect.recover(next));
    else next = await make(next);
  }

  async function make(due: DueCall): Promise<Next> {
    const prepared = await effect.prepare(due);
    // The loop above releases the task.
    if (stopping.aborted) return due;
    const begun = await store.transaction((tx) => start(tx, due));
    return begun.started === null
      ? begun.next
      : settle(begun.started, await perform(begun.started, prepared));
  }

  /** Marks the call as started; or returns what is next if it is not (or no longer) to be made. */
  async function start(tx: Transaction, { call: { id } }: DueCall): Promise<Start> {
    await tx.tasks.fence(task.lease);
    const current = await nextCall(tools, tx, task);
    if (current?.call.id !== id || current.call.state !== 'pending') return { started: null, next: current };
    const result = await effect.admit(tx, current);
    if (result !== null) return { started: null, next: await settleIn(tx, current, result) };
    const startedAtMs = clock.now();
    await tx.calls.start(id, startedAtMs);
    const call: LedgerCall = { ...current.call, state: 'started', startedAtMs };
    return { started: { ...current, call } };
  }

  async function perform(started: DueCall, prepared: Prepared): Promise<Result> {
    try {
      if (clock.now() > (started.call.startedAtMs ?? 0) + SEND_WITHIN_MS) throw new TooLateToSendError();
      return await effect.perform(started, prepared);
    } catch (error) {
      return effect.classify(started, error);
    }
  }

  /** The answer cannot be requested again, so it is written even without the lease, and retried if the store fails. */
  function settle(attempt: DueCall, result: Result): Promise<Next> {
    return persist(tools, () => store.transaction((tx) => settleIn(tx, attempt, result)));
  }

  async function settleIn(tx: Transaction, attempt: DueCall, result: Result): Promise<Next> {
    const { id, jobId, startedAtMs } = attempt.call;
    const isHeld = await tx.tasks.isHeld(task.lease);
    // Whoever settles a call holds its job: from here on, nobody else changes the call.
    await tx.jobs.hold(jobId);
    const call = await tx.calls.get(id);
    // Another process may have settled it; or a commit of ours went through unnoticed.
    const isSameAttempt = call !== null && call.startedAtMs === startedAtMs;
    const known = isSameAttempt ? effect.stillCounts(result, call, isHeld) : null;
    const wait = known === null ? null : await effect.settle(tx, attempt, known, tools.newContext());
    if (!isHeld) return 'taken_over';
    if (wait === null) return nextCall(tools, tx, task);
    await ('retryAtMs' in wait
      ? tx.tasks.retryAt(task.lease, wait.retryAtMs)
      : tx.tasks.delayUntil(task.lease, wait.delayUntilMs));
    return null;
  }
}

/** Null: there is none, and the task is completed. */
async function nextCall(
  tools: EngineTools,
  tx: Transaction,
  { subject, lease }: ClaimedTask,
): Promise<DueCall | null> {
  const next = await tx.calls.next(subject);
  if (next === null) {
    await tx.tasks.complete(lease);
    return null;
  }
  const { call, job } = next;
  return { call, job, policy: policyOf(next, tools.newContext()) };
}
