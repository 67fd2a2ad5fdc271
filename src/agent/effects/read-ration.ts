import type { Granted, Ration } from '../../engine/claim-fairly.ts';
import { type Allowance, allowanceOf, takeFrom } from '../../jobs/allowance.ts';
import type { TaskGroup, Transaction } from '../../store/store.ts';

/**
 * Of each project, so many jobs are read in a minute, by all replicas together: the store gives it out, with the tasks.
 * What has to wait stays due, so the job that has waited for longest is the next.
 */
export class ReadRation implements Ration {
  protected readonly allowance: Allowance;

  constructor(readsPerMinute: number) {
    this.allowance = allowanceOf(readsPerMinute);
  }

  async take(
    tx: Transaction,
    wanted: ReadonlyMap<TaskGroup, number>,
    nowMs: number,
  ): Promise<ReadonlyMap<TaskGroup, Granted>> {
    const wholeAtMs = await tx.readBudget.wholeAtMs([...wanted.keys()].map(projectOf), nowMs);
    const granted = new Map<TaskGroup, Granted>();
    const used = new Map<string, number>();
    for (const [group, count] of wanted) {
      const projectId = projectOf(group);
      const projectWholeAtMs = wholeAtMs.get(projectId) ?? 0;
      const taken = this.grant(projectId, projectWholeAtMs, count, nowMs);
      granted.set(group, taken);
      if (taken.count === 0) continue;
      used.set(projectId, Math.max(projectWholeAtMs, nowMs) + taken.count * this.allowance.spacingMs);
    }
    if (used.size > 0) await tx.readBudget.put(used);
    return granted;
  }

  /** How many of the `count` reads of the project may be made now. */
  protected grant(_projectId: string, wholeAtMs: number, count: number, nowMs: number): Granted {
    return takeFrom(this.allowance, wholeAtMs, count, nowMs);
  }
}

/** The group is the path of a project. */
function projectOf(group: TaskGroup): string {
  return group.slice(0, -1);
}
