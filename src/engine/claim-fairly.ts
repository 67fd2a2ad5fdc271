import type { Claim, ClaimedTask, TaskGroup, Transaction } from '../store/store.ts';
import type { FairHands } from './fair-hands.ts';

/** Limits what of each group may begin, also where hands are free. */
export interface Ration {
  /** Takes what may begin now of these tasks; where that is less, `againAtMs` says when there is more. */
  take(
    tx: Transaction,
    wanted: ReadonlyMap<TaskGroup, number>,
    nowMs: number,
  ): Promise<ReadonlyMap<TaskGroup, Granted>>;
}

export interface Granted {
  readonly count: number;
  readonly againAtMs: number;
}

export interface Found {
  readonly tasks: readonly ClaimedTask[];
  /** Whether there may be more that is due, for which hands were missing. */
  readonly isBehind: boolean;
  /** When the next look is worth while, if nothing was found. */
  readonly dueAtMs: number | null;
  /** The groups whose ration is used up, and until when. */
  readonly usedUp: ReadonlyMap<TaskGroup, number>;
}

interface Look extends Omit<Claim, 'leftOut' | 'admit'> {
  readonly hands: FairHands;
  readonly ration: Ration | null;
  readonly usedUp: ReadonlyMap<TaskGroup, number>;
}

/** Claims the tasks that have been due for longest, but of no group more than its share. */
export async function claimFairly(tx: Transaction, look: Look): Promise<Found> {
  const { kinds, nowMs, leaseNowMs, leaseUntilMs, inHand, limit, ration } = look;
  const hands = look.hands.copy();
  const usedUp = new Map([...look.usedUp].filter(([, untilMs]) => untilMs > nowMs));
  const leftOut = () => [...hands.full(), ...usedUp.keys()];
  const tasks: ClaimedTask[] = [];
  let found = 0;
  const admit = async (due: readonly ClaimedTask[]): Promise<readonly ClaimedTask[]> => {
    found = due.length;
    const fair = due.filter(({ group }) => hands.take(group));
    if (ration === null || fair.length === 0) return fair;
    const granted = await ration.take(tx, countsOf(fair), nowMs);
    const begun = new Map<TaskGroup, number>();
    return fair.filter(({ group }) => {
      const { count, againAtMs } = granted.get(group) ?? {
        count: Number.POSITIVE_INFINITY,
        againAtMs: nowMs,
      };
      begun.set(group, (begun.get(group) ?? 0) + 1);
      if ((begun.get(group) ?? 0) <= count) return true;
      hands.giveBack(group);
      usedUp.set(group, againAtMs);
      return false;
    });
  };
  for (let isMore = true; isMore && tasks.length < limit; ) {
    const wanted = limit - tasks.length;
    const lease = { leaseNowMs, leaseUntilMs, inHand };
    const claim = { kinds, nowMs, ...lease, limit: wanted, leftOut: leftOut(), admit };
    const claimed = await tx.tasks.claim(claim);
    tasks.push(...claimed);
    // What those left out had in the way may hide what others wait for.
    isMore = claimed.length < found && found === wanted;
    found = 0;
  }
  const dueAtMs = tasks.length > 0 ? null : await nextLookMs(tx, look, leftOut(), usedUp);
  return { tasks, isBehind: tasks.length >= limit || hands.full().length > 0, dueAtMs, usedUp };
}

async function nextLookMs(
  tx: Transaction,
  { kinds }: Look,
  leftOut: readonly TaskGroup[],
  usedUp: ReadonlyMap<TaskGroup, number>,
): Promise<number | null> {
  const dueAtMs = await tx.tasks.nextDueAtMs(kinds, leftOut);
  const times = [...usedUp.values(), ...(dueAtMs === null ? [] : [dueAtMs])];
  return times.length === 0 ? null : Math.min(...times);
}

function countsOf(tasks: readonly ClaimedTask[]): ReadonlyMap<TaskGroup, number> {
  const counts = new Map<TaskGroup, number>();
  for (const { group } of tasks) counts.set(group, (counts.get(group) ?? 0) + 1);
  return counts;
}
