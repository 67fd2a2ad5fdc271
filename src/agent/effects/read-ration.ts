import type { Granted, Ration } from '../../engine/claim-fairly.ts';
import { type Allowance, allowanceOf, type Taken, takeFrom } from '../../jobs/allowance.ts';
import type { TaskGroup, Transaction } from '../../store/store.ts';

/**
 * Of each project, so many jobs are read in a minute, by all replicas together: the store gives it out, with the tasks.
 * What has to wait stays due, so the job that has waited for longest is the next.
 */
export class ReadRation implements Ration {
  private readonly allowance: Allowance;

  constructor(readsPerMinute: number) {
    this.allowance = allowanceOf(readsPerMinute);
  }

  async take(
    tx: Transaction,
    wanted: ReadonlyMap<TaskGroup, number>,
    nowMs: number,
  ): Promise<ReadonlyMap<TaskGroup, Granted>> {
    const wholeAtMs = await tx.readBudget.wholeAtMs([...wanted.keys()].map(projectOf), nowMs);
    const taken = new Map<TaskGroup, Taken>();
    const used = new Map<string, number>();
    for (const [group, count] of wanted) {
      const after = takeFrom(this.allowance, wholeAtMs.get(projectOf(group)) ?? 0, count, nowMs);
      taken.set(group, after);
      if (after.count > 0) used.set(projectOf(group), after.wholeAtMs);
    }
    if (used.size > 0) await tx.readBudget.put(used);
    return taken;
  }
}

/** The group is the path of a project. */
export function projectOf(group: TaskGroup): string {
  return group.slice(0, -1);
}
