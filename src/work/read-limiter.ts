const MINUTE_MS = 60_000;
/** How much of a minute's allowance may be used at once. */
const BURST_SHARE = 0.1;
/** Who comes later than this has lost the place: many late reads at once would pass the cap. */
const PLACE_KEPT_MS = 1_000;
/** Sums of fractions of a millisecond are not exact. */
const ROUNDING_MS = 0.01;

/** Keeps the reads of each project under a cap in any minute, evenly spread with short bursts. */
export class ReadLimiter {
  private readonly spacingMs: number;
  private readonly burstMs: number;
  /** When the project's allowance would be whole again. */
  private readonly wholeAtMs = new Map<string, number>();
  /** When the readers that have to wait may read. */
  private readonly placesMs = new Map<string, number>();

  constructor(readsPerMinute: number) {
    const burst = Math.max(1, Math.floor(readsPerMinute * BURST_SHARE));
    // A minute that begins with a burst must stay under the cap, too.
    this.spacingMs = MINUTE_MS / (readsPerMinute - burst + 1);
    this.burstMs = burst * this.spacingMs;
  }

  /**
   * Asks for one read; returns 0, or how many milliseconds to wait. Who has to wait has a place from then on:
   * asked again by the same `reader` after that time, the answer is 0.
   */
  take(projectId: string, reader: string, nowMs: number): number {
    const placeMs = this.placesMs.get(reader);
    if (placeMs !== undefined && nowMs < placeMs) return placeMs - nowMs;
    this.placesMs.delete(reader);
    if (placeMs !== undefined && nowMs <= placeMs + PLACE_KEPT_MS) return 0;
    const wholeAtMs = Math.max(this.wholeAtMs.get(projectId) ?? 0, nowMs) + this.spacingMs;
    this.wholeAtMs.set(projectId, wholeAtMs);
    const waitMs = Math.ceil(wholeAtMs - this.burstMs - nowMs - ROUNDING_MS);
    if (waitMs <= 0) return 0;
    this.forgetOldPlaces(nowMs);
    this.placesMs.set(reader, nowMs + waitMs);
    return waitMs;
  }

  /** Of readers that never came back: another replica does their work. The oldest places come first. */
  private forgetOldPlaces(nowMs: number): void {
    for (const [reader, placeMs] of this.placesMs) {
      if (placeMs + MINUTE_MS > nowMs) return;
      this.placesMs.delete(reader);
    }
  }
}
