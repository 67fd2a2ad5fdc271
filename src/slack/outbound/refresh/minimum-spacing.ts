/** Keeps things that happen to the same subject apart, in this process. */
export class MinimumSpacing {
  private readonly spacingMs: number;
  /** When something happened last, the oldest first. */
  private readonly lastMs = new Map<string, number>();

  constructor(spacingMs: number) {
    this.spacingMs = spacingMs;
  }

  /** How long until it may happen again; 0: now, and then it counts as done. */
  take(subject: string, nowMs: number): number {
    const lastMs = this.lastMs.get(subject) ?? Number.NEGATIVE_INFINITY;
    // What seems to lie ahead was before the clock was set back.
    const waitMs = lastMs > nowMs ? 0 : lastMs + this.spacingMs - nowMs;
    if (waitMs > 0) return waitMs;
    this.forgetOld(nowMs);
    this.lastMs.delete(subject);
    this.lastMs.set(subject, nowMs);
    return 0;
  }

  private forgetOld(nowMs: number): void {
    for (const [subject, lastMs] of this.lastMs) {
      if (lastMs + this.spacingMs > nowMs) return;
      this.lastMs.delete(subject);
    }
  }
}
