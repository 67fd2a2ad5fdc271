import { isUnwatched, type Job } from '../job.ts';

const FACTOR = 0.5;
const RECOVERS_WITHIN_MS = 20 * 60_000;

/** After a 429 for a project's read. */
export type Slowdown = Readonly<{
  atMs: number;
  share: number;
  /** Then the rate recovers. */
  untilMs: number;
}>;

export function readShare(slowdown: Slowdown | null, nowMs: number): number {
  if (slowdown === null) return 1;
  const recovered = Math.max(0, nowMs - slowdown.untilMs) / RECOVERS_WITHIN_MS;
  return Math.min(1, slowdown.share + recovered);
}

/** A read sent before the last slowdown does not halve the rate again. */
export function slowedDown(
  before: Slowdown | null,
  rejected: { readonly askedAtMs: number; readonly retryAfterMs: number | null },
  nowMs: number,
): Slowdown {
  const untilMs = Math.max(nowMs + (rejected.retryAfterMs ?? 0), before?.untilMs ?? 0);
  if (before !== null && rejected.askedAtMs <= before.atMs) return { ...before, untilMs };
  return { atMs: nowMs, share: readShare(before, nowMs) * FACTOR, untilMs };
}

export function shownWhilePaused(job: Job, { atMs, untilMs }: Pick<Slowdown, 'atMs' | 'untilMs'>): Job {
  const { stage, trouble } = job;
  const isWatched = stage.kind === 'working' && !isUnwatched(job);
  const hasOwn = trouble !== null && (trouble.kind !== 'rate_limited' || trouble.source !== 'check');
  if (!isWatched || hasOwn) return job;
  const own = trouble ?? {
    kind: 'rate_limited',
    source: 'check',
    sinceMs: atMs,
    misses: 1,
    isAnnounced: false,
  };
  return { ...job, trouble: { ...own, retryAtMs: untilMs } };
}

const MINUTE_MS = 60_000;
const BURST_SHARE = 0.05;
/** Floating-point tolerance. */
const ROUNDING_MS = 0.01;

export type Allowance = Readonly<{ spacingMs: number; burstMs: number }>;

export function allowanceOf(perMinute: number): Allowance {
  const burst = Math.max(1, Math.floor(perMinute * BURST_SHARE));
  // A minute with a burst must stay under the cap.
  const spacingMs = MINUTE_MS / (perMinute - burst + 1);
  return { spacingMs, burstMs: burst * spacingMs };
}

export function takeFrom(
  { spacingMs, burstMs }: Allowance,
  wholeAtMs: number,
  wanted: number,
  nowMs: number,
) {
  const fromMs = Math.max(wholeAtMs, nowMs);
  const left = Math.floor((nowMs + burstMs + ROUNDING_MS - fromMs) / spacingMs);
  const count = Math.max(0, Math.min(wanted, left));
  const takenMs = fromMs + count * spacingMs;
  const againAtMs = Math.max(nowMs, Math.ceil(takenMs + spacingMs - burstMs - ROUNDING_MS));
  return { count, wholeAtMs: takenMs, againAtMs };
}
