import { FairHands } from '../../engine/fair-hands.ts';
import type { TaskGroup } from '../../store/store.ts';

interface Waiting {
  readonly group: TaskGroup;
  readonly begin: () => void;
}

/** Lets so many work at a time, and of no group more than its share; others wait, in the order in which they came. */
export class Slots {
  private readonly hands: FairHands;
  private waiting: readonly Waiting[] = [];

  constructor(count: number) {
    this.hands = new FairHands(count);
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
      this.hands.giveBack(group);
      this.waiting = this.waiting.filter((waiting) => {
        const begins = this.begin(waiting.group);
        if (begins) waiting.begin();
        return !begins;
      });
    }
  }

  private begin(group: TaskGroup): boolean {
    return this.hands.free > 0 && this.hands.take(group);
  }
}
