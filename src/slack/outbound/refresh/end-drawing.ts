import { type ClaimedTask, LeaseLostError, type Transaction } from '../../../store/store.ts';
import type { SlackFailure } from '../../workspace/web-api/failure.ts';
import { isHopeless, slackRetryMs } from '../posts/slack-retry.ts';
import type { SlackTools } from '../slack-tools.ts';

/** An edit that got no answer may reach Slack so much later, in seconds awake: after later ones, whose place it takes. */
const ARRIVES_WITHIN_MS = 20_000;

/** From when on nothing that was sent for the task before can arrive any more. */
export function sureAtMs({ clock }: SlackTools, { unsureUntilMs }: ClaimedTask): number {
  if (unsureUntilMs === null) return 0;
  return Math.max(unsureUntilMs, clock.awakeSinceMs() + ARRIVES_WITHIN_MS);
}

/**
 * Ends the task of what was drawn, or plans when it is drawn again: after a failure, and once more when an edit of
 * unknown fate can no longer arrive.
 * @param failure null: Slack shows it
 * @param shown what is written if nothing is left to try
 */
export async function endDrawing(
  tools: SlackTools,
  task: ClaimedTask,
  startedAtMs: number,
  failure: SlackFailure | null,
  shown: (tx: Transaction) => Promise<void> = async () => {},
): Promise<void> {
  const { store, clock } = tools;
  const isUnclear = failure?.outcome === 'unknown';
  try {
    await store.transaction(async (tx) => {
      const nowMs = clock.now();
      if (isUnclear) await tx.tasks.doubt(task.lease, nowMs + ARRIVES_WITHIN_MS);
      if (failure !== null && !isHopeless(task, failure)) {
        return tx.tasks.retryAt(task.lease, nowMs + slackRetryMs(task, failure));
      }
      await shown(tx);
      const againAtMs = sureAtMs(tools, task);
      if (startedAtMs < againAtMs) return tx.tasks.repeat(task.lease, againAtMs);
      return tx.tasks.complete(task.lease);
    });
  } catch (error) {
    // Who took the task over may have drawn it later, and this one has replaced that, or is about to.
    if (error instanceof LeaseLostError) {
      const runAtMs = clock.now() + (isUnclear ? ARRIVES_WITHIN_MS : 0);
      const again = { kind: task.kind, subject: task.subject, runAtMs, ifScheduled: 'replace' } as const;
      await store.transaction((tx) => tx.tasks.schedule(again));
    }
    throw error;
  }
}
