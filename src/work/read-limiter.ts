const MINUTE_MS = 60_000;
/** How much of a minute's allowance may be used at once. */
const BURST_SHARE = 0.1;

/** Keeps the reads of each project under a cap per minute, evenly spread with short bursts. */
export class ReadLimiter {
  private readonly spacingMs: number;
  private readonly burstMs: number;
  /** When the project's allowance would be whole again. */
  private readonly wholeAtMs = new Map<string, number>();

  constructor(readsPerMinute: number) {
    this.spacingMs = MINUTE_MS / readsPerMinute;
    this.burstMs = Math.max(MINUTE_MS * BURST_SHARE, this.spacingMs);
  }

  /** Takes one read; returns 0, or how many milliseconds to wait before asking again. */
  take(projectId: string, nowMs: number): number {
    const wholeAtMs = Math.max(this.wholeAtMs.get(projectId) ?? 0, nowMs) + this.spacingMs;
    const waitMs = wholeAtMs - this.burstMs - nowMs;
    if (waitMs > 0) return Math.ceil(waitMs);
    this.wholeAtMs.set(projectId, wholeAtMs);
    return 0;
  }
}
