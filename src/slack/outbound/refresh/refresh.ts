import { type ClaimedTask, LeaseLostError, type Transaction } from '../../../store/store.ts';
import { SlackCallError, type SlackFailure } from '../../workspace/web-api/failure.ts';
import { isHopeless, slackRetryMs } from '../posts/slack-retry.ts';
import type { SlackTools } from '../slack-tools.ts';

/** An edit that got no answer may reach Slack so much later, in seconds awake: after later ones, whose place it takes. */
const ARRIVES_WITHIN_MS = 20_000;

/** Something in Slack that shows things as they are now: it may be shown again at any time. */
export interface Projection<Snapshot> {
  /** What is to be shown. Null: the load has completed or delayed the task. */
  load(tools: SlackTools, task: ClaimedTask): Promise<Snapshot | null>;
  /** Returns what kept Slack from showing it. */
  show(tools: SlackTools, snapshot: Snapshot, attempt: RefreshAttempt): Promise<SlackFailure | null>;
  /** Written when nothing is left to try. */
  shown?(tx: Transaction, snapshot: Snapshot, nowMs: number): Promise<void>;
}

export interface RefreshAttempt {
  readonly task: ClaimedTask;
  /** Nothing that was sent for the task before can arrive any more. */
  readonly isSure: boolean;
}

/**
 * The handler of a projection's task: shows it, and ends the task or plans when it is shown again: after a failure,
 * and once more when an edit of unknown fate can no longer arrive.
 */
export function refresh<Snapshot>(projection: Projection<Snapshot>) {
  return async (tools: SlackTools, task: ClaimedTask): Promise<void> => {
    const { store, clock } = tools;
    const snapshot = await projection.load(tools, task);
    if (snapshot === null) return;
    const startedAtMs = clock.now();
    const isSure = startedAtMs >= sureAtMs(tools, task);
    const failure = await projection.show(tools, snapshot, { task, isSure });
    const isUnclear = failure?.outcome === 'unknown';
    try {
      await store.transaction(async (tx) => {
        const nowMs = clock.now();
        if (isUnclear) await tx.tasks.doubt(task.lease, nowMs + ARRIVES_WITHIN_MS);
        if (failure !== null && !isHopeless(task, failure)) {
          return tx.tasks.retryAt(task.lease, nowMs + slackRetryMs(task, failure));
        }
        await projection.shown?.(tx, snapshot, nowMs);
        // Computed again: the process may have slept in the middle.
        const againAtMs = sureAtMs(tools, task);
        return startedAtMs < againAtMs
          ? tx.tasks.repeat(task.lease, againAtMs)
          : tx.tasks.complete(task.lease);
      });
    } catch (error) {
      // The process that took the task over may have shown it later; this request has replaced that, or is about to.
      if (error instanceof LeaseLostError) {
        const runAtMs = clock.now() + (isUnclear ? ARRIVES_WITHIN_MS : 0);
        const again = { kind: task.kind, subject: task.subject, runAtMs, ifScheduled: 'replace' } as const;
        await store.transaction((tx) => tx.tasks.schedule(again));
      }
      throw error;
    }
  };
}

/** From when on nothing that was sent for the task before can arrive any more. */
function sureAtMs({ clock }: SlackTools, { unsureUntilMs }: ClaimedTask): number {
  if (unsureUntilMs === null) return 0;
  return Math.max(unsureUntilMs, clock.awakeSinceMs() + ARRIVES_WITHIN_MS);
}

/** Returns Slack's failure, if any, once it is logged. */
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
