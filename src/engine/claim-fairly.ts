import { type Claim, type ClaimedTask, levelsOf, type TaskGroup, type Transaction } from '#store/store.ts';

/** A workspace with many channels may take three quarters if alone. */
const SHARE_OF_MANY = 3;

/** Slots remain for the next group, however many hang. */
export class FairSlots {
  private readonly total: number;
  private taken = 0;
  private readonly takenBy = new Map<TaskGroup, number>();

  constructor(total: number) {
    this.total = total;
  }

  get free(): number {
    return this.total - this.taken;
  }

  holders(): TaskGroup[] {
    return [...this.takenBy.keys()];
  }

  take(group: TaskGroup): boolean {
    if (levelsOf(group).some((level) => this.isFull(level, level === group))) return false;
    this.add(group);
    return true;
  }

  add(group: TaskGroup, count = 1): void {
    this.taken += count;
    for (const level of levelsOf(group)) {
      const taken = (this.takenBy.get(level) ?? 0) + count;
      if (taken > 0) this.takenBy.set(level, taken);
      else this.takenBy.delete(level);
    }
  }

  giveBack(group: TaskGroup): void {
    this.add(group, -1);
  }

  full(): TaskGroup[] {
    return this.holders().filter((level) => this.isFull(level, true));
  }

  copy(): FairSlots {
    const copy = new FairSlots(this.total);
    copy.taken = this.taken;
    for (const [group, count] of this.takenBy) copy.takenBy.set(group, count);
    return copy;
  }

  /** A group may take as many slots as remain free: half of all if alone, a third each for two groups. */
  private isFull(level: TaskGroup, isAlone: boolean) {
    const taken = this.takenBy.get(level) ?? 0;
    if (taken >= this.free * SHARE_OF_MANY) return true;
    const isPart = (other: TaskGroup) => other !== level && other.startsWith(level);
    return isAlone && taken >= this.free && !this.holders().some(isPart);
  }
}

export type FairLimit = ReturnType<typeof fairLimit>;

/** Others wait, first come, first served. */
export function fairLimit(count: number) {
  const slots = new FairSlots(count);
  let waiting: readonly { readonly group: TaskGroup; readonly begin: () => void }[] = [];
  const mayBegin = (group: TaskGroup) => slots.free > 0 && slots.take(group);
  return async <T>(group: TaskGroup, work: () => Promise<T>) => {
    if (!mayBegin(group)) {
      await new Promise<void>((begin) => {
        waiting = [...waiting, { group, begin }];
      });
    }
    try {
      return await work();
    } finally {
      slots.giveBack(group);
      const full = new Set<TaskGroup>();
      waiting = waiting.filter(({ group, begin }) => {
        const begins = !full.has(group) && mayBegin(group);
        if (begins) begin();
        else full.add(group);
        return !begins;
      });
    }
  };
}

export interface Quota {
  /** `againAtMs` applies if less is granted than wanted. */
  take(
    tx: Transaction,
    wanted: ReadonlyMap<TaskGroup, number>,
    nowMs: number,
  ): Promise<ReadonlyMap<TaskGroup, Granted>>;
}

export type Granted = Readonly<{
  count: number;
  againAtMs: number;
}>;

export type Found = Readonly<{
  tasks: readonly ClaimedTask[];
  isBehind: boolean;
  /** Infinity: none, or unknown while more can be claimed at once. */
  dueAtMs: number;
  usedUp: ReadonlyMap<TaskGroup, number>;
}>;

type ClaimOptions = Omit<Claim, 'skippedGroups' | 'admit' | 'onePerGroup'> &
  Readonly<{
    /** After the last claim, more were due than could begin. */
    isBehind: boolean;
    slots: FairSlots;
    quota: Quota | null;
    usedUp: ReadonlyMap<TaskGroup, number>;
  }>;

/** If a quota was used up recently, claim few at first: the others would be locked for nothing. */
const FEW = 4;

/**
 * Claims the longest due tasks, no group beyond its share. If there were too few slots, groups without one
 * come first: a short queue must not wait behind backlogs.
 */
export async function claimFairly(tx: Transaction, look: ClaimOptions): Promise<Found> {
  const { nowMs, leaseNowMs, limit, quota } = look;
  const usedUp = new Map([...look.usedUp].filter(([, untilMs]) => untilMs > nowMs));
  const firstMs = await tx.tasks.firstFreeMs(look.kinds, leaseNowMs);
  const kinds = look.kinds.filter((kind) => (firstMs.get(kind) ?? Number.POSITIVE_INFINITY) <= nowMs);
  if (kinds.length === 0) {
    const dueAtMs = Math.min(...firstMs.values(), ...usedUp.values());
    return { tasks: [], isBehind: false, dueAtMs, usedUp };
  }
  const slots = look.slots.copy();
  const skippedGroups = () => [...slots.full(), ...usedUp.keys()];
  const tasks: ClaimedTask[] = [];
  let found = 0;
  const admit = async (due: readonly ClaimedTask[]): Promise<readonly ClaimedTask[]> => {
    found = due.length;
    const fair = due.filter(({ group }) => slots.take(group));
    if (quota === null || fair.length === 0) return fair;
    const groups = Map.groupBy(fair, ({ group }) => group);
    const wanted = new Map([...groups].map(([group, { length }]) => [group, length]));
    const granted = await quota.take(tx, wanted, nowMs);
    const begun = new Map<TaskGroup, number>();
    return fair.filter(({ group }) => {
      const own = granted.get(group);
      const count = (begun.get(group) ?? 0) + 1;
      begun.set(group, count);
      if (own === undefined || count <= own.count) return true;
      slots.giveBack(group);
      usedUp.set(group, own.againAtMs);
      return false;
    });
  };
  const claim = async (wanted: number, others: readonly TaskGroup[], onePerGroup: boolean) => {
    found = 0;
    const claimed: Claim = { ...look, kinds, limit: wanted, skippedGroups: others, onePerGroup, admit };
    tasks.push(...(await tx.tasks.claim(claimed)));
  };
  if (look.isBehind) await claim(limit, [...skippedGroups(), ...slots.holders()], true);
  let mostWanted = look.usedUp.size > 0 ? FEW : limit;
  for (let isMore = true; isMore && tasks.length < limit; ) {
    const free = limit - tasks.length;
    const wanted = Math.min(free, mostWanted);
    await claim(wanted, skippedGroups(), false);
    // Full groups' tasks, or tasks just locked by another replica, may hide other due tasks. If any were
    // claimed, the next claim follows at once and skips full groups.
    isMore = (found === wanted || wanted < free) && (tasks.length === 0 || slots.full().length === 0);
    mostWanted = found === wanted ? mostWanted * 2 : limit;
  }
  const isBehind = tasks.length >= limit || slots.full().length > 0;
  if (isBehind && tasks.length > 0) return { tasks, isBehind, dueAtMs: Number.POSITIVE_INFINITY, usedUp };
  const nextMs = await tx.tasks.nextDueAtMs(look.kinds, skippedGroups());
  return { tasks, isBehind, dueAtMs: Math.min(nextMs, ...usedUp.values()), usedUp };
}
