const HOUR_MS = 3_600_000;
/** New jobs leave this share of the budget to the follow-ups of running ones, which people wait for. */
const KEPT_FOR_FOLLOW_UPS = 0.1;

export type BudgetKind = 'create_job' | 'send_message';

/** A project's create and message calls of the last hour, and those that wait. */
export interface BudgetUse {
  readonly perHour: number;
  /** Of the last hour, the oldest first. */
  readonly startedAtMs: readonly number[];
  /** In the order in which they asked. */
  readonly waiting: readonly { readonly jobId: string; readonly kind: BudgetKind }[];
}

/**
 * When the project's hourly budget allows the job this call: now, or when enough of the others are an hour old. Who
 * asked first goes first, but a follow-up passes starts that wait for more than the share of follow-ups. So each of
 * those that wait knows its own place, and when that becomes free.
 */
export function allowedAtMs(use: BudgetUse, jobId: string, kind: BudgetKind, nowMs: number): number {
  const limits = {
    create_job: use.perHour - Math.floor(use.perHour * KEPT_FOR_FOLLOW_UPS),
    send_message: use.perHour,
  };
  const own = use.waiting.find((waiting) => waiting.jobId === jobId && waiting.kind === kind);
  const asking = own ?? { jobId, kind };
  const queue = own === undefined ? [...use.waiting, asking] : [...use.waiting];
  const startedAtMs = [...use.startedAtMs];
  for (let atMs = nowMs; ; atMs = Math.max(nowMs, (startedAtMs.shift() ?? nowMs) + HOUR_MS)) {
    for (;;) {
      const next = queue.findIndex((waiting) => startedAtMs.length < limits[waiting.kind]);
      if (next === -1) break;
      if (queue[next] === asking) return atMs;
      queue.splice(next, 1);
      startedAtMs.push(atMs);
    }
  }
}
