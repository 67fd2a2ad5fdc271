import type { Job } from '../job.ts';
import { retryDelayMs } from './schedule.ts';

const HOUR_MS = 3_600_000;
/** The share that starts leave free. */
const KEPT_FOR_FOLLOW_UPS = 0.1;
/** Calls that unattended jobs leave free. */
const KEPT_FOR_PEOPLE = 20;

export type BudgetKind = 'create_job' | 'send_message';

export type InBudgetQueue = Readonly<{
  jobId: string;
  kind: BudgetKind;
  isUnattended: boolean;
  /** Set after an unused turn. */
  passedUntilMs?: number | null;
}>;

export type BudgetUse = Readonly<{
  perHour: number;
  startedAtMs: readonly number[];
  waiting: readonly InBudgetQueue[];
}>;

/** Follow-ups may pass starts that are over their limit, and people's starts unattended ones. */
export function allowedAtMs(use: BudgetUse, asking: InBudgetQueue, nowMs: number): number {
  const queue = [...joinedBy(asking, use.waiting)];
  const startedAtMs = [...use.startedAtMs];
  for (let atMs = nowMs; ; atMs = Math.max(nowMs, (startedAtMs.shift() ?? nowMs) + HOUR_MS)) {
    for (;;) {
      const next = queue.findIndex((waiting) => startedAtMs.length < limitOf(waiting, use.perHour));
      const first = queue[next];
      if (first === undefined) break;
      if (isSame(first, asking)) return atMs;
      queue.splice(next, 1);
      startedAtMs.push(atMs);
    }
  }
}

export function joinedBy(asking: InBudgetQueue, waiting: readonly InBudgetQueue[]): readonly InBudgetQueue[] {
  const at = waiting.findIndex((one) => isSame(one, asking));
  // Clears `passedUntilMs`.
  return at < 0 ? [...waiting, asking] : waiting.with(at, asking);
}

export function isSame(one: InBudgetQueue, other: InBudgetQueue): boolean {
  return one.jobId === other.jobId && one.kind === other.kind;
}

function limitOf({ kind, isUnattended }: InBudgetQueue, perHour: number) {
  if (kind === 'send_message') return perHour;
  const forStarts = perHour - Math.floor(perHour * KEPT_FOR_FOLLOW_UPS);
  // A small budget allows at least one.
  return isUnattended ? Math.min(forStarts, Math.max(1, perHour - KEPT_FOR_PEOPLE)) : forStarts;
}

/** People's first, then in order of request. */
export function nextInLine(
  { perHour, calls, waiting }: Pick<BudgetUse, 'perHour' | 'waiting'> & { readonly calls: number },
  nowMs: number,
): InBudgetQueue[] {
  const there = waiting.filter((one) => (one.passedUntilMs ?? 0) <= nowMs && calls < limitOf(one, perHour));
  return there.toSorted((one, other) => Number(one.isUnattended) - Number(other.isUnattended));
}

/** After a 429: no calls before `untilMs`, then one at a time. */
export type CallPause = Readonly<{
  /** The last refusal, except of calls already in flight. */
  atMs: number;
  untilMs: number;
  refusals: number;
}>;

export type AnsweredCall = Readonly<{
  startedAtMs: number;
  /** `again`: repeated, not because of the rate. */
  answer: 'taken' | 'limited' | 'over' | 'again';
  retryAfterMs: number | null;
}>;

export function pauseAfter(
  before: CallPause | null,
  { startedAtMs, answer, retryAfterMs }: AnsweredCall,
  nowMs: number,
  jitter: number,
): CallPause | null {
  // Calls were in flight at the first refusal.
  const isLate = before !== null && startedAtMs <= before.atMs;
  if (answer === 'limited') {
    const askedMs = nowMs + (retryAfterMs ?? 0);
    if (isLate) return { ...before, untilMs: Math.max(before.untilMs, askedMs) };
    const refusals = (before?.refusals ?? 0) + 1;
    const untilMs = retryAfterMs
      ? askedMs
      : Math.max(before?.untilMs ?? 0, nowMs + retryDelayMs(refusals, jitter));
    return { atMs: nowMs, untilMs, refusals };
  }
  if (before === null || isLate) return before;
  if (answer === 'taken') return { ...before, untilMs: Math.min(before.untilMs, nowMs), refusals: 0 };
  if (nowMs < before.untilMs) return before;
  return answer === 'again' ? null : { ...before, untilMs: nowMs };
}

export function isLimitedByAgent({ trouble }: Pick<Job, 'trouble'>): boolean {
  return trouble?.kind === 'rate_limited' && trouble.source === 'send' && trouble.isByAgent === true;
}

export function isHurried(job: Job, call: BudgetKind): boolean {
  const message = call === 'create_job' ? job.messages + 1 : job.messages;
  return job.hurriedMessage === message && isLimitedByAgent(job);
}
