const HOUR_MS = 3_600_000;

/** The most calls in any hour, whenever it begins. */
export class HourlyPeak {
  private readonly lastHour: number[] = [];
  private most = 0;

  /** @param atMs not before the one before */
  add(atMs: number): void {
    this.lastHour.push(atMs);
    while ((this.lastHour[0] ?? atMs) <= atMs - HOUR_MS) this.lastHour.shift();
    this.most = Math.max(this.most, this.lastHour.length);
  }

  get calls(): number {
    return this.most;
  }
}
