import { isUnwatched, type Job } from '../job.ts';

const FACTOR = 0.5;
/** A rate of nothing would be whole again after so long. */
const RECOVERS_WITHIN_MS = 20 * 60_000;

/** What is left of a project's read rate after the agent API has rejected a read by its rate limit (429). */
export interface Slowdown {
  readonly atMs: number;
  /** Of the whole rate, when reads go on. */
  readonly share: number;
  /** No reads until then; from then on, the rate recovers. */
  readonly untilMs: number;
}

/** How much of the whole rate may be used (0 to 1). */
export function readShare(slowdown: Slowdown | null, nowMs: number): number {
  if (slowdown === null) return 1;
  const recovered = Math.max(0, nowMs - slowdown.untilMs) / RECOVERS_WITHIN_MS;
  return Math.min(1, slowdown.share + recovered);
}

/**
 * A read was rejected: the rate is halved, and reads wait for as long as the API asks. Several reads are under way at a
 * time, so one that was made before the last slowdown does not halve the rate again.
 */
export function slowedDown(
  before: Slowdown | null,
  rejected: { readonly askedAtMs: number; readonly retryAfterMs: number | null },
  nowMs: number,
): Slowdown {
  const untilMs = Math.max(nowMs + (rejected.retryAfterMs ?? 0), before?.untilMs ?? 0);
  if (before !== null && rejected.askedAtMs <= before.atMs) return { ...before, untilMs };
  return { atMs: nowMs, share: readShare(before, nowMs) * FACTOR, untilMs };
}

/** The job as it is shown while nothing of its project is read: what ends meanwhile is seen later. */
export function shownWhilePaused(job: Job, { atMs, untilMs }: Pick<Slowdown, 'atMs' | 'untilMs'>): Job {
  const { stage, trouble } = job;
  const isWatched = stage.kind === 'working' && !isUnwatched(job);
  const hasOwn = trouble !== null && (trouble.kind !== 'rate_limited' || trouble.source !== 'check');
  if (!isWatched || hasOwn) return job;
  const paused = {
    kind: 'rate_limited',
    source: 'check',
    sinceMs: atMs,
    misses: 1,
    isAnnounced: false,
  } as const;
  return { ...job, trouble: { ...paused, ...trouble, retryAtMs: untilMs } };
}
