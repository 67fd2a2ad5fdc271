/** Slack lets an app read 50 threads a minute and workspace (Tier 3); this leaves room for other reads. */
const FASTEST_MS = 1_500;
/** Slack's strictest limit, one read a minute, is for apps sold outside of its Marketplace. */
const SLOWEST_MS = 60_000;
/**
 * Other calls under the same limit, such as the look for a post, go as soon as Slack allows. Catch-ups go after
 * them.
 */
const AFTER_OTHERS_MS = 3_000;
/** Over a longer time, reads may be few because there was nothing to read. */
const LOGGED_WITHIN_MS = 5 * 60_000;
/** After so many reads without a refusal, the limit may be another: it is tried. */
const FASTER_AFTER = 30;

/**
 * How fast the threads of one workspace are read. Slack's limit shows only in its answers: how many reads pass between
 * two refusals, and in which time.
 */
export class ReadThrottle {
  private spacingMs = FASTEST_MS;
  private freeAtMs = 0;
  /** Since when reads are counted: the end of the last wait that Slack asked for. */
  private sinceMs: number | null = null;
  private reads = 0;

  /** When the next page may be read. */
  get nextAtMs(): number {
    return this.freeAtMs;
  }

  /** Slack lets fewer threads be read than usual. */
  get isSlow(): boolean {
    return this.spacingMs > FASTEST_MS;
  }

  /** Slack has answered. */
  read(nowMs: number): void {
    this.reads += 1;
    if (this.reads % FASTER_AFTER === 0) this.spacingMs = Math.max(Math.ceil(this.spacingMs / 2), FASTEST_MS);
    this.freeAtMs = nowMs + this.spacingMs + (this.isSlow ? AFTER_OTHERS_MS : 0);
  }

  /** Slack takes no reads until then. */
  refused(untilMs: number): void {
    if (this.sinceMs !== null && untilMs - this.sinceMs < LOGGED_WITHIN_MS) {
      const observedMs = Math.ceil((untilMs - this.sinceMs) / Math.max(this.reads, 1));
      this.spacingMs = Math.min(Math.max(observedMs, FASTEST_MS), SLOWEST_MS);
    }
    this.sinceMs = untilMs;
    this.reads = 0;
    this.freeAtMs = untilMs + AFTER_OTHERS_MS;
  }
}
