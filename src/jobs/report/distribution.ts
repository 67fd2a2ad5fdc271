/** Durations in whole seconds, as exact as a list of them and as large as the number of different ones. */
export class Distribution {
  private readonly counts = new Map<number, number>();
  private total = 0;

  add(durationMs: number): void {
    const seconds = Math.max(0, Math.round(durationMs / 1000));
    this.counts.set(seconds, (this.counts.get(seconds) ?? 0) + 1);
    this.total += 1;
  }

  /** The shortest duration that this share of all does not exceed (nearest rank); null if there are none. */
  quantile(share: number): number | null {
    const rank = Math.ceil(share * this.total);
    let seen = 0;
    for (const seconds of [...this.counts.keys()].sort((a, b) => a - b)) {
      seen += this.counts.get(seconds) ?? 0;
      if (seen >= rank) return seconds;
    }
    return null;
  }
}
