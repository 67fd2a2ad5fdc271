import { levelsOf, type TaskGroup } from '../store/store.ts';

/**
 * A group may take as many slots as remain free: half of all if it is alone, a third each if there are two.
 */
const SHARE = 1;
/** A workspace with many channels may take more: three quarters if it is alone. */
const SHARE_OF_MANY = 3;

/** Shares worker slots between groups. However many groups hang, slots remain for the next one. */
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

  /** The groups that have slots. */
  holders(): TaskGroup[] {
    return [...this.takenBy.keys()];
  }

  /** False if the group already has its share. */
  take(group: TaskGroup): boolean {
    if (levelsOf(group).some((level) => this.isFull(level, level === group))) return false;
    this.add(group);
    return true;
  }

  /** Takes one more slot, whatever the share. */
  add(group: TaskGroup): void {
    this.taken += 1;
    for (const level of levelsOf(group)) this.takenBy.set(level, (this.takenBy.get(level) ?? 0) + 1);
  }

  giveBack(group: TaskGroup): void {
    this.taken -= 1;
    for (const level of levelsOf(group)) {
      const left = (this.takenBy.get(level) ?? 0) - 1;
      if (left > 0) this.takenBy.set(level, left);
      else this.takenBy.delete(level);
    }
  }

  /** The groups that have their share. A group that `take` refuses is one of them, or in one. */
  full(): TaskGroup[] {
    return [...this.takenBy.keys()].filter((level) => this.isFull(level, true));
  }

  copy(): FairSlots {
    const copy = new FairSlots(this.total);
    copy.taken = this.taken;
    for (const [group, count] of this.takenBy) copy.takenBy.set(group, count);
    return copy;
  }

  /** `isAlone`: unless groups within it have slots, too. */
  private isFull(level: TaskGroup, isAlone: boolean): boolean {
    const taken = this.takenBy.get(level) ?? 0;
    if (taken >= this.free * SHARE_OF_MANY) return true;
    return isAlone && taken >= this.free * SHARE && !this.hasParts(level);
  }

  private hasParts(level: TaskGroup): boolean {
    return this.holders().some((other) => other !== level && other.startsWith(level));
  }
}

interface Waiting {
  readonly group: TaskGroup;
  readonly begin: () => void;
}

/** Limits how many work at a time, and of each group to its share. Others wait, first come, first served. */
export class FairLimit {
  private readonly slots: FairSlots;
  private waiting: readonly Waiting[] = [];

  constructor(count: number) {
    this.slots = new FairSlots(count);
  }

  async use<T>(group: TaskGroup, work: () => Promise<T>): Promise<T> {
    if (!this.begin(group)) {
      await new Promise<void>((begin) => {
        this.waiting = [...this.waiting, { group, begin }];
      });
    }
    try {
      return await work();
    } finally {
      this.slots.giveBack(group);
      this.beginNext();
    }
  }

  private beginNext(): void {
    // Many of few groups may wait: each group is asked for once.
    const full = new Set<TaskGroup>();
    this.waiting = this.waiting.filter((waiting) => {
      const begins = !full.has(waiting.group) && this.begin(waiting.group);
      if (begins) waiting.begin();
      else full.add(waiting.group);
      return !begins;
    });
  }

  private begin(group: TaskGroup): boolean {
    return this.slots.free > 0 && this.slots.take(group);
  }
}
