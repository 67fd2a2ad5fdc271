import type { Clock } from '../../engine/runtime/clock.ts';
import type { Logger } from '../../engine/runtime/logger.ts';
import { type Pace, paceOf } from '../../jobs/pace.ts';
import type { Store } from '../../store/store.ts';

/** A turn more or less changes little. */
const FRESH_MS = 60_000;

type Paces = ReadonlyMap<string, Pace>;

/** The paces of all projects, as the store knew them a minute ago: no check waits for them. */
export interface KnownPaces {
  current(): Paces;
  /** Waits for the read in hand. */
  stop(): Promise<void>;
}

export function knownPaces(
  { store, clock, log }: { readonly store: Store; readonly clock: Clock; readonly log: Logger },
  limits: Parameters<typeof paceOf>[1],
): KnownPaces {
  let paces: Paces = new Map();
  let readAtMs: number | null = null;
  let reading = Promise.resolve();

  async function read(): Promise<void> {
    try {
      const lengths = await store.transaction((tx) => tx.turnLengths.all());
      const entries = [...lengths].map(([id, lengthsMs]) => [id, paceOf(lengthsMs, limits)] as const);
      paces = new Map(entries.flatMap(([id, pace]) => (pace === null ? [] : [[id, pace]])));
    } catch (error) {
      log.warn('turn_lengths_read', { outcome: 'failed', error });
    }
  }

  return {
    current: () => {
      const nowMs = clock.now();
      // Also if the clock was set back.
      if (readAtMs === null || Math.abs(nowMs - readAtMs) >= FRESH_MS) {
        readAtMs = nowMs;
        reading = read();
      }
      return paces;
    },
    stop: () => reading,
  };
}
