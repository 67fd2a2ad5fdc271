import type { Job } from '../job.ts';
import { retryDelayMs } from './schedule.ts';

const HOUR_MS = 3_600_000;
/** New jobs leave this share of the budget to follow-ups of running ones, which people wait for. */
const KEPT_FOR_FOLLOW_UPS = 0.1;
/** Unattended jobs leave this many calls to people. */
const KEPT_FOR_PEOPLE = 20;

export type BudgetKind = 'create_job' | 'send_message';

export type InBudgetQueue = Readonly<{
  jobId: string;
  kind: BudgetKind;
  /** A recipe started it by itself. */
  isUnattended: boolean;
  /** Others pass it until then: it had its turn, and did not use it. */
  passedUntilMs?: number | null;
}>;

export type BudgetUse = Readonly<{
  perHour: number;
  /** In the last hour, the oldest first. */
  startedAtMs: readonly number[];
  /** In the order of their requests. */
  waiting: readonly InBudgetQueue[];
}>;

/**
 * When the project's hourly budget allows the job this call: now, or when enough others are an hour old.
 * First come, first served, but a follow-up passes starts that wait for more than the share of follow-ups,
 * and people's starts pass unattended ones that wait for more than is left to people. So each waiting call
 * knows its place, and when that becomes free.
 */
export function allowedAtMs(use: BudgetUse, asking: InBudgetQueue, nowMs: number): number {
  const { perHour } = use;
  const queue = [...joinedBy(asking, use.waiting)];
  const startedAtMs = [...use.startedAtMs];
  for (let atMs = nowMs; ; atMs = Math.max(nowMs, (startedAtMs.shift() ?? nowMs) + HOUR_MS)) {
    for (;;) {
      const next = queue.findIndex((waiting) => startedAtMs.length < limitOf(waiting, perHour));
      const first = queue[next];
      if (first === undefined) break;
      if (isSame(first, asking)) return atMs;
      queue.splice(next, 1);
      startedAtMs.push(atMs);
    }
  }
}

/** Includes the asking job, whose call may have left the line, or be new. */
export function joinedBy(asking: InBudgetQueue, waiting: readonly InBudgetQueue[]): readonly InBudgetQueue[] {
  const isIn = waiting.some((one) => isSame(one, asking));
  // A job that was passed has come.
  return isIn ? waiting.map((one) => (isSame(one, asking) ? asking : one)) : [...waiting, asking];
}

export function isSame(one: InBudgetQueue, other: InBudgetQueue): boolean {
  return one.jobId === other.jobId && one.kind === other.kind;
}

/** How many calls an hour may have, this one included. */
function limitOf({ kind, isUnattended }: InBudgetQueue, perHour: number): number {
  if (kind === 'send_message') return perHour;
  const forStarts = perHour - Math.floor(perHour * KEPT_FOR_FOLLOW_UPS);
  // At least one call of a small budget: otherwise it would never start.
  return isUnattended ? Math.min(forStarts, Math.max(1, perHour - KEPT_FOR_PEOPLE)) : forStarts;
}

/**
 * The jobs whose calls the project's hourly budget allows now, in order of their requests, with people before
 * unattended jobs, without those that are passed.
 */
export function nextInLine(
  { perHour, calls, waiting }: Pick<BudgetUse, 'perHour' | 'waiting'> & { readonly calls: number },
  nowMs: number,
): InBudgetQueue[] {
  const there = waiting.filter((one) => (one.passedUntilMs ?? 0) <= nowMs && calls < limitOf(one, perHour));
  return [...there.filter((one) => !one.isUnattended), ...there.filter((one) => one.isUnattended)];
}

/**
 * The agent API answered a call of the project with 429. No call goes out before the end of the pause, and
 * then one at a time, in line, until none is left.
 */
export type CallPause = Readonly<{
  /** The time of the last refusal, without those of calls already in flight. */
  atMs: number;
  /** The end of the pause; after it, when the first in line was called. */
  untilMs: number;
  refusals: number;
}>;

export type AnsweredCall = Readonly<{
  startedAtMs: number;
  /**
   * `over`: it has another outcome, and is not repeated. `again`: it is repeated, but not because of the
   * rate.
   */
  answer: 'taken' | 'limited' | 'over' | 'again';
  retryAfterMs: number | null;
}>;

/** What an answer means for the project's other calls; null: nothing holds them up. `jitter`: 0 to 1. */
export function pauseAfter(
  before: CallPause | null,
  { startedAtMs, answer, retryAfterMs }: AnsweredCall,
  nowMs: number,
  jitter: number,
): CallPause | null {
  // Several calls are in flight when the first is refused.
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
  // An outage has its own waits.
  return answer === 'again' ? null : { ...before, untilMs: nowMs };
}

export function isHeldUpByAgent({ trouble }: Pick<Job, 'trouble'>): boolean {
  return trouble?.kind === 'rate_limited' && trouble.source === 'send' && trouble.isByAgent === true;
}

/** Somebody wants its next call tried despite the agent API's rate limit. */
export function isHurried(job: Job, call: BudgetKind): boolean {
  const message = call === 'create_job' ? job.messages + 1 : job.messages;
  return job.hurriedMessage === message && isHeldUpByAgent(job);
}
