import type { Delivery } from '../../support/strict-slack/delivery.ts';
import { choose, type Random } from '../random.ts';

/** How often each request of a person is delivered at once: 1 to 4 times, or not at first. */
export interface Copies {
  readonly next: (delivery: Delivery) => number;
  /** How many copies there were beyond the first. */
  readonly extra: () => number;
}

/** @param lateShare so often only the retry, a minute later, delivers a reply */
export function copiesOf(random: Random, lateShare: number): Copies {
  const late = new Set<string>();
  let extra = 0;
  return {
    next: (delivery) => {
      if (isOfBot(delivery)) return 1;
      if (delivery.kind === 'event' && delivery.attempt === 0 && random() < lateShare) late.add(delivery.id);
      // The first retry comes at once, the second after a minute.
      if (delivery.attempt < 2 && late.has(delivery.id)) return 0;
      const copies = choose(random, [
        [70, 1],
        [15, 2],
        [10, 3],
        [5, 4],
      ]);
      extra += copies - 1;
      return copies;
    },
    extra: () => extra,
  };
}

/** The bot gets its own actions as events, which it ignores. */
export function isOfBot({ kind, payload }: Delivery): boolean {
  const { bot_id: botId, hidden } = (payload.event ?? {}) as { bot_id?: string; hidden?: boolean };
  return kind === 'event' && (botId !== undefined || hidden === true);
}
