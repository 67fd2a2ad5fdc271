const HOUR_MS = 3_600_000;
/** New jobs leave this share of the budget to the follow-ups of running ones, which people wait for. */
const KEPT_FOR_FOLLOW_UPS = 0.1;
/** Jobs that nobody has asked for leave so many calls to people. */
const KEPT_FOR_PEOPLE = 20;

export type BudgetKind = 'create_job' | 'send_message';

/** A job that waits for a call of this kind. */
export interface InBudgetQueue {
  readonly jobId: string;
  readonly kind: BudgetKind;
  /** A recipe has started it by itself. */
  readonly isUnattended: boolean;
}

/** A project's create and message calls of the last hour, and those that wait. */
export interface BudgetUse {
  readonly perHour: number;
  /** Of the last hour, the oldest first. */
  readonly startedAtMs: readonly number[];
  /** In the order in which they asked. */
  readonly waiting: readonly InBudgetQueue[];
}

/**
 * When the project's hourly budget allows the job this call: now, or when enough of the others are an hour old. Who
 * asked first goes first, but a follow-up passes starts that wait for more than the share of follow-ups, and people's
 * starts pass those that nobody asked for and that wait for more than is left to people. So each of
 * those that wait knows its own place, and when that becomes free.
 */
export function allowedAtMs(use: BudgetUse, asking: InBudgetQueue, nowMs: number): number {
  const { perHour } = use;
  const isOwn = ({ jobId, kind }: InBudgetQueue) => jobId === asking.jobId && kind === asking.kind;
  const queue = use.waiting.some(isOwn) ? [...use.waiting] : [...use.waiting, asking];
  const startedAtMs = [...use.startedAtMs];
  for (let atMs = nowMs; ; atMs = Math.max(nowMs, (startedAtMs.shift() ?? nowMs) + HOUR_MS)) {
    for (;;) {
      const next = queue.findIndex((waiting) => startedAtMs.length < limitOf(waiting, perHour));
      const first = queue[next];
      if (first === undefined) break;
      if (isOwn(first)) return atMs;
      queue.splice(next, 1);
      startedAtMs.push(atMs);
    }
  }
}

/** How many calls there may be in an hour when this one goes out, itself among them. */
function limitOf({ kind, isUnattended }: InBudgetQueue, perHour: number): number {
  if (kind === 'send_message') return perHour;
  const forStarts = perHour - Math.floor(perHour * KEPT_FOR_FOLLOW_UPS);
  // Of a small budget, at least one call: otherwise it would never start.
  return isUnattended ? Math.min(forStarts, Math.max(1, perHour - KEPT_FOR_PEOPLE)) : forStarts;
}
