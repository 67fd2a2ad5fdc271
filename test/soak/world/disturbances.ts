import { setTimeout as pause } from 'node:timers/promises';
import { choose, type Random } from '../random.ts';
import type { Fleet } from './fleet.ts';

const PAUSE_MIN_MS = 5_000;
const PAUSE_MAX_MS = 25_000;
/** Longer than a lease, or a short while. */
const LONG_FREEZE_MS = 26_000;
const SHORT_FREEZE_MAX_MS = 5_000;
/** How long a clock is wrong. */
const WRONG_FOR_MS = 8_000;

export interface DisturbanceOptions {
  readonly fleet: Fleet;
  readonly replicas: number;
  readonly random: Random;
}

export interface Disturbances {
  readonly counts: ReadonlyMap<string, number>;
  /** Resolves when the last one is over. */
  stop(): Promise<void>;
}

/** Freezes processes and steps their clocks, one after the other, at random times. */
export function disturb({ fleet, replicas, random }: DisturbanceOptions): Disturbances {
  const counts = new Map<string, number>();
  const stopping = new AbortController();
  const disturbances: Readonly<Record<string, (index: number) => Promise<void>>> = {
    'freeze of up to 5 s': (index) => freeze(index, random() * SHORT_FREEZE_MAX_MS),
    'freeze of 26 s': (index) => freeze(index, LONG_FREEZE_MS),
    'clock 20 s wrong': async (index) => {
      fleet.signal(index, 'SIGUSR2');
      await pause(WRONG_FOR_MS);
      fleet.signal(index, 'SIGUSR2');
    },
  };

  async function freeze(index: number, ms: number): Promise<void> {
    fleet.signal(index, 'SIGSTOP');
    await pause(ms);
    fleet.signal(index, 'SIGCONT');
  }

  async function run(): Promise<void> {
    for (;;) {
      const pauseMs = PAUSE_MIN_MS + random() * (PAUSE_MAX_MS - PAUSE_MIN_MS);
      await pause(pauseMs, null, { signal: stopping.signal }).catch(() => {});
      if (stopping.signal.aborted) return;
      const name = choose(random, [
        [3, 'freeze of up to 5 s'],
        [1, 'freeze of 26 s'],
        [2, 'clock 20 s wrong'],
      ]);
      counts.set(name, (counts.get(name) ?? 0) + 1);
      await disturbances[name]?.(Math.floor(random() * replicas));
    }
  }

  const ended = run();
  return {
    counts,
    stop: () => {
      stopping.abort();
      return ended;
    },
  };
}
