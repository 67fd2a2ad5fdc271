import { isDeepStrictEqual } from 'node:util';
import { SEND_WITHIN_MS, TooLateToSendError } from '#runtime/exchange.ts';
import { StoreError } from '#store/engines/database.ts';
import {
  type ClaimedTask,
  LeaseLostError,
  type LedgerCall,
  type LockedJob,
  type Transaction,
} from '#store/store.ts';
import type { AnyJobContext, EngineTools } from './apply-event.ts';

export type DueCall = Pick<LockedJob, 'job' | 'saved'> & { readonly call: LedgerCall };

/** `delayUntilMs`: no attempt is counted. */
export type Wait = { readonly retryAtMs: number } | { readonly delayUntilMs: number };

/** Makes one kind of outward call, each at most once. */
export interface Effect<Prepared, Result> {
  /** Before the next call and its job are read. */
  lock?(tx: Transaction): Promise<void>;
  /** A crash here leaves the call pending. */
  prepare(due: DueCall): Promise<Prepared>;
  /** Returns a result to record instead of making the call. */
  admit(tx: Transaction, due: DueCall): Promise<Result | null>;
  /** What to repeat, if the other side recognises the call's id; otherwise null. */
  repeatableRequest?(due: DueCall, prepared: Prepared): string | null;
  perform(started: DueCall, prepared: Prepared): Promise<Result>;
  /** Also gets TooLateToSendError. Rethrows unknown errors. */
  classify(started: DueCall, error: unknown): Result;
  recover(started: DueCall): Promise<Result>;
  /** Returns the result to record, or null to discard it. */
  applicableResult(result: Result, call: LedgerCall, isHeld: boolean): Result | null;
  /** Records the outcome and what follows from it. Returns null if the lane may continue. */
  record(tx: Transaction, due: DueCall, result: Result, context: AnyJobContext): Promise<Wait | null>;
}

/** `over`: nothing is left, or the lane has to wait. */
type LaneState = 'goes_on' | 'taken_over' | 'over';

export async function runLane<Prepared, Result>(
  tools: EngineTools,
  effect: Effect<Prepared, Result>,
  task: ClaimedTask,
): Promise<void> {
  const { store, clock, stopping } = tools;
  let ready: { readonly call: LedgerCall; readonly preparing: Promise<Prepared> } | null = null;
  for (let settled: LaneState = 'goes_on'; settled === 'goes_on'; ) {
    const next = await store.transaction(begin);
    if (next === null) return;
    settled = await next();
    if (settled === 'taken_over') throw new LeaseLostError(task.lease.id);
  }

  /** Returns what follows the commit. Null: nothing is next, or the lane has to wait. */
  async function begin(tx: Transaction): Promise<(() => Promise<LaneState>) | null> {
    await tx.tasks.fence(task.lease);
    await effect.lock?.(tx);
    const due = await nextCall(tx);
    if (due === null) return null;
    const { call } = due;
    if (stopping.aborted) return release(tx);
    // Started by a process that is gone.
    if (call.state === 'started') return async () => end(due, await effect.recover(due));
    const preparing = ready !== null && isSame(ready.call, call) ? ready.preparing : effect.prepare(due);
    // Usually everything is known. If not, no transaction waits for it.
    const prepared = await atOnce(preparing);
    if (prepared === null) {
      return async () => {
        await preparing;
        ready = { call, preparing };
        return 'goes_on';
      };
    }
    if (stopping.aborted) return release(tx);
    const result = await effect.admit(tx, due);
    if (result !== null) return (await settle(tx, due, result)) === 'goes_on' ? begin(tx) : null;
    const startedAtMs = clock.now();
    const sent = effect.repeatableRequest?.(due, prepared.value) ?? null;
    await tx.calls.start(call.id, startedAtMs, sent);
    const started: DueCall = { ...due, call: { ...call, state: 'started', startedAtMs, sent } };
    return async () => end(started, await perform(started, prepared.value));
  }

  /** The answer cannot be requested again, so it is written even without the lease. */
  function end(started: DueCall, result: Result): Promise<LaneState> {
    return persist(tools, () => store.transaction((tx) => settle(tx, started, result)));
  }

  async function release(tx: Transaction) {
    await tx.tasks.release([task.lease]);
    return null;
  }

  async function perform(started: DueCall, prepared: Prepared) {
    try {
      if (clock.now() > (started.call.startedAtMs ?? 0) + SEND_WITHIN_MS) throw new TooLateToSendError();
      return await effect.perform(started, prepared);
    } catch (error) {
      return effect.classify(started, error);
    }
  }

  async function settle(tx: Transaction, attempt: DueCall, result: Result): Promise<LaneState> {
    const { id, jobId, startedAtMs } = attempt.call;
    const isHeld = await tx.tasks.isHeld(task.lease);
    // Recording a call requires its job's lock: from here on, nobody else changes the call.
    await tx.jobs.lockOnly(jobId);
    const call = await tx.calls.get(id);
    // Another process may have recorded it, or our own commit went unnoticed.
    const isSameAttempt = call !== null && call.startedAtMs === startedAtMs;
    const known = isSameAttempt ? effect.applicableResult(result, call, isHeld) : null;
    const wait = known === null ? null : await effect.record(tx, attempt, known, tools.newContext());
    if (!isHeld) return 'taken_over';
    if (wait === null) return (await nextCall(tx)) === null ? 'over' : 'goes_on';
    await ('retryAtMs' in wait
      ? tx.tasks.retryAt(task.lease, wait.retryAtMs)
      : tx.tasks.delayUntil(task.lease, wait.delayUntilMs));
    return 'over';
  }

  async function nextCall(tx: Transaction): Promise<DueCall | null> {
    const next = await tx.calls.next(task.subject);
    if (next === null) await tx.tasks.complete(task.lease);
    return next;
  }
}

/** A pending call may be rewritten during preparation. */
function isSame(one: LedgerCall, other: LedgerCall) {
  return one.id === other.id && isDeepStrictEqual(one.request, other.request);
}

/** Null if the value needs I/O. */
async function atOnce<T>(awaited: Promise<T>): Promise<{ readonly value: T } | null> {
  const { promise: otherwise, resolve } = Promise.withResolvers<null>();
  // Runs once no promise callback is left.
  process.nextTick(() => resolve(null));
  return Promise.race([awaited.then((value) => ({ value })), otherwise]);
}

/** Shorter than a lease: without the store, nobody else can take over the work. */
const KEEP_TRYING_MS = 20_000;
/** A row locked by another session does not stop lease renewals. */
const KEEP_TRYING_IF_LOCKED_MS = 600_000;
const PAUSE_MS = 1_000;

/**
 * Retries while the store is away. `write` may run again after an unnoticed commit and must recognise that.
 */
async function persist<T>({ clock, log }: EngineTools, write: () => Promise<T>) {
  const sinceMs = clock.now();
  for (;;) {
    try {
      return await write();
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      const forMs = error.isLocked ? KEEP_TRYING_IF_LOCKED_MS : KEEP_TRYING_MS;
      if (clock.now() >= sinceMs + forMs) throw error;
      log.warn('outcome_not_stored', { error });
      await clock.sleep(PAUSE_MS);
    }
  }
}
