import type { Granted } from '../../engine/claim-fairly.ts';
import { takeFrom } from '../../jobs/allowance.ts';
import { ReadRation } from './read-ration.ts';

/** If the open jobs leave nothing over, one of so many reads may be of an ended one, where there is any. */
const SHARE = 20;

/**
 * What the open jobs of a project leave over of its reads, for the jobs that have ended: half of what may be used at
 * once is kept for the open ones.
 */
export class SpareReads extends ReadRation {
  /** When one may be taken of what is kept, by project. */
  private readonly turnAtMs = new Map<string, number>();

  protected override grant(projectId: string, wholeAtMs: number, count: number, nowMs: number): Granted {
    const granted = this.spare(projectId, wholeAtMs, count, nowMs);
    if (granted.count > 0) this.turnAtMs.set(projectId, nowMs + SHARE * this.allowance.spacingMs);
    return granted;
  }

  private spare(projectId: string, wholeAtMs: number, count: number, nowMs: number): Granted {
    const { spacingMs, burstMs } = this.allowance;
    const keptMs = Math.max(Math.floor(burstMs / spacingMs / 2), 1) * spacingMs;
    // Where only one may be used at once, it is spare when no open job has wanted it for a while.
    const usedUntilMs = burstMs > keptMs ? Math.max(wholeAtMs, nowMs) : wholeAtMs;
    const spare = takeFrom(this.allowance, usedUntilMs + keptMs, count, nowMs);
    if (spare.count > 0) return spare;
    const turnAtMs = this.turnAtMs.get(projectId) ?? 0;
    const again = Math.min(spare.againAtMs, Math.max(turnAtMs, nowMs + spacingMs));
    if (nowMs < turnAtMs) return { count: 0, againAtMs: Math.ceil(again) };
    const { count: left } = takeFrom(this.allowance, wholeAtMs, 1, nowMs);
    return { count: left, againAtMs: Math.ceil(again) };
  }
}
