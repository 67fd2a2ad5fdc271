import type { AnyJobContext } from '../../../jobs/decision.ts';
import { isWaitOn } from '../../../jobs/schedule/schedule.ts';
import { type ClaimedTask, LeaseLostError, type Transaction } from '../../../store/store.ts';
import { SlackCallError, type SlackFailure } from '../../workspace/web-api/failure.ts';
import { isHopeless, type SlackTools, slackRetryMs } from '../slack-tools.ts';

/** How late an unanswered edit may reach Slack, in time awake, and replace a newer one. */
const UPDATE_ARRIVES_WITHIN_MS = 20_000;

/** Something in Slack that shows the current state. Showing it may be repeated. */
export interface Projection<Snapshot> {
  /** What to show. Null: the load has completed or delayed the task. */
  load(tools: SlackTools, task: ClaimedTask): Promise<Snapshot | null>;
  /** Returns what kept Slack from showing all of it. */
  show(tools: SlackTools, snapshot: Snapshot, attempt: RefreshAttempt): Promise<SlackFailure | null>;
}

/** Records what Slack shows. */
type Note = (tx: Transaction, context: AnyJobContext) => Promise<void>;

export interface RefreshAttempt {
  readonly task: ClaimedTask;
  /** No earlier request of the task can still arrive. */
  readonly isSure: boolean;
  /** Shows it again then, unless that is planned already. */
  repeatAt(atMs: number): void;
  /** Written with the end of the attempt, whatever its result, if the task is still held. */
  note(note: Note): void;
}

/**
 * Shows a projection. It is shown again after a failure, and once an edit of unknown fate can no longer
 * arrive.
 */
export function refresh<Snapshot>(projection: Projection<Snapshot>) {
  return async (tools: SlackTools, task: ClaimedTask): Promise<void> => {
    const { store, clock } = tools;
    const snapshot = await projection.load(tools, task);
    if (snapshot === null) return;
    const startedAtMs = clock.now();
    const isSure = startedAtMs >= sureAtMs(tools, task);
    const notes: Note[] = [];
    const repeats: number[] = [];
    const failure = await projection.show(tools, snapshot, {
      task,
      isSure,
      repeatAt: (atMs) => repeats.push(atMs),
      note: (note) => notes.push(note),
    });
    const isUnclear = failure?.outcome === 'unknown';
    // A lost commit only shows it again. But that an edit may still arrive must be kept.
    const mayBeLost = failure === null;
    try {
      const end = async (tx: Transaction) => {
        const context = tools.newContext();
        const { nowMs } = context;
        for (const note of notes) await note(tx, context);
        if (isUnclear) await tx.tasks.markUnknown(task.lease, nowMs + UPDATE_ARRIVES_WITHIN_MS);
        if (failure !== null && !isHopeless(task, failure)) {
          return tx.tasks.retryAt(task.lease, nowMs + slackRetryMs(task, failure));
        }
        // Computed again: the process may have slept in between.
        const againAtMs = Math.max(sureAtMs(tools, task), ...repeats);
        return startedAtMs < againAtMs
          ? tx.tasks.repeat(task.lease, againAtMs)
          : tx.tasks.complete(task.lease);
      };
      await store.transaction(end, { mayBeLost });
    } catch (error) {
      // Another replica owns the task now: this request may have replaced, or may still replace, what it
      // showed.
      if (error instanceof LeaseLostError) {
        const runAtMs = clock.now() + (isUnclear ? UPDATE_ARRIVES_WITHIN_MS : 0);
        const again = { kind: task.kind, subject: task.subject, runAtMs, ifScheduled: 'replace' } as const;
        await store.transaction((tx) => tx.tasks.schedule(again));
      }
      throw error;
    }
  };
}

/** When no earlier request of the task can still arrive. */
export function sureAtMs({ clock }: SlackTools, { unknownUntilMs }: ClaimedTask): number {
  if (unknownUntilMs === null) return 0;
  const awakeMs = clock.awakeSinceMs() + UPDATE_ARRIVES_WITHIN_MS;
  const isOn = isWaitOn(unknownUntilMs, UPDATE_ARRIVES_WITHIN_MS, clock.now());
  return isOn ? Math.max(unknownUntilMs, awakeMs) : awakeMs;
}

/** Logs and returns Slack's failure, if any. */
export async function failureOf(
  ask: () => Promise<unknown>,
  logFailure: (reason: string) => void,
): Promise<SlackFailure | null> {
  try {
    await ask();
    return null;
  } catch (error) {
    if (!(error instanceof SlackCallError)) throw error;
    logFailure(error.failure.code);
    return error.failure;
  }
}
