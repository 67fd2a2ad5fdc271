import { levelsOf, type TaskGroup } from '../store/store.ts';

/** A group may have as many hands as are free besides: half of all if it is alone, a third each if they are two. */
const SHARE = 1;
/** A workspace with many channels may have more: three quarters if it is alone. */
const SHARE_OF_MANY = 3;

/**
 * Who has how many hands. However many groups keep their hands full without ever coming to an end, there are hands
 * left for the next one.
 */
export class FairHands {
  private readonly total: number;
  private taken = 0;
  private readonly takenBy = new Map<TaskGroup, number>();

  constructor(total: number) {
    this.total = total;
  }

  get free(): number {
    return this.total - this.taken;
  }

  /** False if the group has its share already. */
  take(group: TaskGroup): boolean {
    if (levelsOf(group).some((level) => this.isFull(level, level === group))) return false;
    this.add(group);
    return true;
  }

  /** One more hand, whatever the share. */
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

  /** The groups that have their share. */
  full(): TaskGroup[] {
    const groups = [...this.takenBy.keys()];
    const isPart = (level: TaskGroup) => !groups.some((other) => other !== level && other.startsWith(level));
    return groups.filter((level) => this.isFull(level, isPart(level)));
  }

  copy(): FairHands {
    const copy = new FairHands(this.total);
    copy.taken = this.taken;
    for (const [group, count] of this.takenBy) copy.takenBy.set(group, count);
    return copy;
  }

  private isFull(level: TaskGroup, isSmallest: boolean): boolean {
    return (this.takenBy.get(level) ?? 0) >= this.free * (isSmallest ? SHARE : SHARE_OF_MANY);
  }
}
