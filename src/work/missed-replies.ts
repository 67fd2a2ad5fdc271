import type { Clock } from '../operations/clock.ts';
import type { Logger } from '../operations/logger.ts';
import type { Store } from '../store/store.ts';
import { scheduleCatchUps } from './catch-up.ts';

const RETRY_MS = 1_000;

/** Sees to it that live threads are read for replies that were missed. */
export interface MissedReplies {
  /** Replies may have been missed: plans to read the threads, as soon as the store lets it. */
  lookFor(): void;
  stop(): void;
}

export function missedReplies(store: Store, clock: Clock, log: Logger): MissedReplies {
  let isWanted = false;
  let isPlanning = false;
  let cancelRetry = () => {};

  async function plan(): Promise<void> {
    if (isPlanning || !isWanted) return;
    isPlanning = true;
    isWanted = false;
    try {
      await scheduleCatchUps(store, clock.now());
    } catch (error) {
      log.error('catch_up_not_scheduled', { error });
      isWanted = true;
      cancelRetry = clock.at(clock.now() + RETRY_MS, () => void plan());
      return;
    } finally {
      isPlanning = false;
    }
    // Asked for again meanwhile.
    await plan();
  }

  return {
    lookFor: () => {
      isWanted = true;
      cancelRetry();
      void plan();
    },
    stop: () => {
      isWanted = false;
      cancelRetry();
    },
  };
}
