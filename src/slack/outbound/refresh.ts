import type { AnyJobContext, EngineTools } from '#engine/apply-event.ts';
import type { Job } from '#jobs/job.ts';
import { isWaitOn, LONGEST_RETRY_MS, retryDelayMs, spread } from '#jobs/schedule/schedule.ts';
import { type ClaimedTask, LeaseLostError, type Transaction } from '#store/store.ts';
import { isPlaceClosed } from '../protocol/error-codes.ts';
import type { FeatureViews } from '../views/announcement.ts';
import { failureIn, type SlackFailure } from '../workspace/caller.ts';
import { TOO_MANY_MESSAGES } from '../workspace/poster.ts';
import type { Known, Workspaces } from '../workspace/workspace.ts';

export interface SlackTools extends EngineTools {
  readonly workspaces: Workspaces;
  readonly promptMaxLength: number;
  readonly hourlyBudget: number;
  readonly known: Known;
  readonly featureViews: FeatureViews;
  /** Outside of the card. Doesn't block or throw. */
  readonly show: (job: Job, isCheck: boolean) => void;
}

/** Even if Slack asks for less. */
const SHORTEST_WAIT_MS = 1_000;
/** Then, passing and unknown errors count as refusals. */
export const HELD_FOR_MS = 6 * 3_600_000;
/** For posts. Reads and refreshes give up then, too, silently. */
export const PLACE_WAITED_FOR_MS = 7 * 86_400_000;
const TRIES_WHILE_HELD = PLACE_WAITED_FOR_MS / LONGEST_RETRY_MS;

/** Retries start soon, then slow down to one an hour. */
const FIRST_TRY_AT_PLACE_MS = 5_000;
const LONGEST_WAIT_FOR_PLACE_MS = 3_600_000;
const DOUBLINGS = 10;
const TRIES_WHILE_CLOSED = DOUBLINGS + PLACE_WAITED_FOR_MS / LONGEST_WAIT_FOR_PLACE_MS;

export function slackRetryMs({ attempts }: ClaimedTask, failure: SlackFailure): number {
  if (isClosed(failure)) {
    const doubledMs = FIRST_TRY_AT_PLACE_MS * 2 ** Math.min(attempts, DOUBLINGS);
    return Math.min(doubledMs, LONGEST_WAIT_FOR_PLACE_MS) * spread(Math.random());
  }
  const delayMs = retryDelayMs(attempts + 1, Math.random());
  return Math.max(failure.retryAfterMs ?? delayMs, SHORTEST_WAIT_MS);
}

/** For calls outside the ledger. */
export function isHopeless({ attempts }: ClaimedTask, failure: SlackFailure): boolean {
  if (isClosed(failure)) return attempts >= TRIES_WHILE_CLOSED;
  // There will be more.
  if (failure.code === TOO_MANY_MESSAGES) return true;
  return failure.outcome === 'refused' || (failure.isPassing && attempts >= TRIES_WHILE_HELD);
}

function isClosed({ outcome, code }: SlackFailure) {
  return outcome === 'refused' && isPlaceClosed(code);
}

/** How late what was not answered may reach Slack, in time awake. */
export const ARRIVES_WITHIN_MS = 20_000;

type RefreshAttempt = Readonly<{
  /** No earlier request can still arrive. */
  isSure: boolean;
  /** Ignores hopeless failures. */
  failureOf: typeof failureOf;
}>;

type RefreshResult = Readonly<{
  failure: SlackFailure | null;
  note?: (tx: Transaction, context: AnyJobContext) => Promise<void>;
  /** Null: as scheduled. */
  againAtMs?: number | null;
}>;

/**
 * Repeats after failures, and once an unclear edit can no longer arrive. @param load null: nothing to show;
 * `later`: has delayed the task
 */
export function refresh<Snapshot>(
  load: (tx: Transaction, task: ClaimedTask, tools: SlackTools) => Promise<Snapshot | null | 'later'>,
  show: (tools: SlackTools, snapshot: Snapshot, attempt: RefreshAttempt) => Promise<RefreshResult>,
) {
  return async (tools: SlackTools, task: ClaimedTask) => {
    const { store, clock } = tools;
    const { kind, subject, lease } = task;
    const snapshot = await store.transaction(async (tx) => {
      const loaded = await load(tx, task, tools);
      if (loaded === null) await tx.tasks.complete(lease);
      return loaded;
    });
    if (snapshot === null || snapshot === 'later') return;
    const startedAtMs = clock.now();
    const { failure, note, againAtMs } = await show(tools, snapshot as Snapshot, {
      isSure: startedAtMs >= sureAtMs(tools, task),
      failureOf: async (...asked) => {
        const failure = await failureOf(...asked);
        return failure !== null && isHopeless(task, failure) ? null : failure;
      },
    });
    const isUnclear = failure?.outcome === 'unknown';
    try {
      await store.transaction(async (tx) => {
        const context = tools.newContext();
        const { nowMs } = context;
        await note?.(tx, context);
        if (isUnclear) await tx.tasks.markUnknown(lease, nowMs + ARRIVES_WITHIN_MS);
        if (failure !== null) {
          return tx.tasks.retryAt(lease, nowMs + slackRetryMs(task, failure));
        }
        // Computed again: the process may have slept.
        const repeatAtMs = Math.max(sureAtMs(tools, task), againAtMs ?? 0);
        return startedAtMs < repeatAtMs ? tx.tasks.repeat(lease, repeatAtMs) : tx.tasks.complete(lease);
      });
    } catch (error) {
      // This request may overwrite what the task's new owner showed.
      if (error instanceof LeaseLostError) {
        const runAtMs = clock.now() + (isUnclear ? ARRIVES_WITHIN_MS : 0);
        await store.transaction((tx) =>
          tx.tasks.schedule({ kind, subject, runAtMs, ifScheduled: 'replace' }),
        );
      }
      throw error;
    }
  };
}

export function sureAtMs({ clock }: SlackTools, { unknownUntilMs }: ClaimedTask): number {
  if (unknownUntilMs === null) return 0;
  const awakeMs = clock.awakeSinceMs() + ARRIVES_WITHIN_MS;
  const isOn = isWaitOn(unknownUntilMs, ARRIVES_WITHIN_MS, clock.now());
  return isOn ? Math.max(unknownUntilMs, awakeMs) : awakeMs;
}

export async function failureOf(
  ask: () => Promise<unknown>,
  logFailure: (reason: string) => void,
): Promise<SlackFailure | null> {
  try {
    await ask();
    return null;
  } catch (error) {
    const failure = failureIn(error);
    logFailure(failure.code);
    return failure;
  }
}
