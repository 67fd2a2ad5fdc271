import type { Granted, Quota } from '../../engine/claim-fairly.ts';
import {
  type Allowance,
  allowanceOf,
  readShare,
  type Slowdown,
  takeFrom,
} from '../../jobs/schedule/slowdown.ts';
import type { TaskGroup, Transaction } from '../../store/store.ts';

/** How far people may get ahead of the reads that are due. */
const AHEAD_MAX_MS = 30_000;
/** A pause may end before its time. */
const LOOKS_AGAIN_MS = 5_000;

/**
 * Of each project, so many jobs are read in a minute, by all replicas together: the store gives it out, with the tasks.
 * What has to wait stays due, so the job that has waited for longest is the next.
 */
export class ReadQuota implements Quota {
  private readonly readsPerMinute: number;

  constructor(readsPerMinute: number) {
    this.readsPerMinute = readsPerMinute;
  }

  async take(
    tx: Transaction,
    wanted: ReadonlyMap<TaskGroup, number>,
    nowMs: number,
  ): Promise<ReadonlyMap<TaskGroup, Granted>> {
    const uses = await tx.readBudget.of([...wanted.keys()].map(projectOf), nowMs);
    const granted = new Map<TaskGroup, Granted>();
    const used = new Map<string, number>();
    for (const [group, count] of wanted) {
      const projectId = projectOf(group);
      const { wholeAtMs = 0, slowdown = null } = uses.get(projectId) ?? {};
      const allowance = this.allowanceAt(slowdown, nowMs);
      // After a slowdown, reads begin without a burst.
      const fromMs =
        slowdown === null ? wholeAtMs : Math.max(wholeAtMs, slowdown.untilMs + allowance.burstMs);
      const taken = this.grant(projectId, allowance, fromMs, count, nowMs);
      granted.set(group, { ...taken, againAtMs: Math.min(taken.againAtMs, nowMs + LOOKS_AGAIN_MS) });
      if (taken.count > 0) used.set(projectId, Math.max(fromMs, nowMs) + taken.count * allowance.spacingMs);
    }
    if (used.size > 0) await tx.readBudget.put(used);
    return granted;
  }

  /** One read for a person who waits, ahead of those that are due; false: the agent wants none now, or people had many. */
  async takeFirst(tx: Transaction, projectId: string, nowMs: number): Promise<boolean> {
    const { wholeAtMs = 0, slowdown = null } =
      (await tx.readBudget.of([projectId], nowMs)).get(projectId) ?? {};
    const isPaused = slowdown !== null && nowMs < slowdown.untilMs;
    const fromMs = Math.max(wholeAtMs, nowMs);
    if (isPaused || fromMs - nowMs > AHEAD_MAX_MS) return false;
    const { spacingMs } = this.allowanceAt(slowdown, nowMs);
    await tx.readBudget.put(new Map([[projectId, fromMs + spacingMs]]));
    return true;
  }

  /** How many of the `count` reads of the project may be made now. */
  protected grant(
    _projectId: string,
    allowance: Allowance,
    wholeAtMs: number,
    count: number,
    nowMs: number,
  ): Granted {
    return takeFrom(allowance, wholeAtMs, count, nowMs);
  }

  /** However slow, one a minute. */
  private allowanceAt(slowdown: Slowdown | null, nowMs: number): Allowance {
    return allowanceOf(Math.max(1, this.readsPerMinute * readShare(slowdown, nowMs)));
  }
}

/** The group is the path of a project. */
function projectOf(group: TaskGroup): string {
  return group.slice(0, -1);
}

/** If the open jobs leave nothing over, one of so many reads may be of an ended one, where there is any. */
const SHARE = 20;

/**
 * What the open jobs of a project leave over of its reads, for the jobs that have ended: half of what may be used at
 * once is kept for the open ones.
 */
export class SpareReads extends ReadQuota {
  /** When one may be taken of what is kept, by project. */
  private readonly turnAtMs = new Map<string, number>();

  protected override grant(
    projectId: string,
    allowance: Allowance,
    wholeAtMs: number,
    count: number,
    nowMs: number,
  ): Granted {
    const granted = this.spare(projectId, allowance, wholeAtMs, count, nowMs);
    if (granted.count > 0) this.turnAtMs.set(projectId, nowMs + SHARE * allowance.spacingMs);
    return granted;
  }

  private spare(
    projectId: string,
    allowance: Allowance,
    wholeAtMs: number,
    count: number,
    nowMs: number,
  ): Granted {
    const { spacingMs, burstMs } = allowance;
    const keptMs = Math.max(Math.floor(burstMs / spacingMs / 2), 1) * spacingMs;
    // Where only one may be used at once, it is spare when no open job has needed it for a while.
    const usedUntilMs = burstMs > keptMs ? Math.max(wholeAtMs, nowMs) : wholeAtMs;
    const spare = takeFrom(allowance, usedUntilMs + keptMs, count, nowMs);
    if (spare.count > 0) return spare;
    const turnAtMs = this.turnAtMs.get(projectId) ?? 0;
    const again = Math.min(spare.againAtMs, Math.max(turnAtMs, nowMs + spacingMs));
    if (nowMs < turnAtMs) return { count: 0, againAtMs: Math.ceil(again) };
    const { count: left } = takeFrom(allowance, wholeAtMs, 1, nowMs);
    return { count: left, againAtMs: Math.ceil(again) };
  }
}
