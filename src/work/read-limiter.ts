const MINUTE_MS = 60_000;
/** How much of a minute's allowance may be used at once. */
const BURST_SHARE = 0.1;
/** Sums of fractions of a millisecond are not exact. */
const ROUNDING_MS = 0.01;

/** Keeps the reads of each project under a cap in any minute, evenly spread with short bursts. */
export class ReadLimiter {
  private readonly spacingMs: number;
  private readonly burstMs: number;
  /** When the project's allowance would be whole again. */
  private readonly wholeAtMs = new Map<string, number>();

  constructor(readsPerMinute: number) {
    const burst = Math.max(1, Math.floor(readsPerMinute * BURST_SHARE));
    // A minute that begins with a burst must stay under the cap, too.
    this.spacingMs = MINUTE_MS / (readsPerMinute - burst + 1);
    this.burstMs = burst * this.spacingMs;
  }

  /** Takes one read; returns 0, or how many milliseconds to wait before asking again. */
  take(projectId: string, nowMs: number): number {
    const wholeAtMs = Math.max(this.wholeAtMs.get(projectId) ?? 0, nowMs) + this.spacingMs;
    const waitMs = wholeAtMs - this.burstMs - nowMs - ROUNDING_MS;
    if (waitMs > 0) return Math.ceil(waitMs);
    this.wholeAtMs.set(projectId, wholeAtMs);
    return 0;
  }
}
