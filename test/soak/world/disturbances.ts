import { setTimeout as pause } from 'node:timers/promises';
import type { DatabaseProxy } from '../../replicas/support/database-proxy.ts';
import { choose, type Random } from '../random.ts';
import type { Fleet } from './fleet.ts';

const PAUSE_MIN_MS = 5_000;
const PAUSE_MAX_MS = 25_000;
/** Longer than a lease, or a short while. */
const LONG_FREEZE_MS = 26_000;
const SHORT_FREEZE_MAX_MS = 5_000;
/** How long a clock is wrong. */
const WRONG_FOR_MS = 8_000;
const WRONG_BY_MS = 20_000;
/** A process steps its clock when it gets to it. */
const STEPPED_WITHIN_MS = 2_000;
/** How long nothing of the database comes through; the connections of that time never speak again. */
const SILENT_FOR_MS = 6_000;

export type DatabaseNetwork = Pick<DatabaseProxy, 'standStill' | 'mend'>;

export interface DisturbanceOptions {
  readonly fleet: Fleet;
  readonly replicas: number;
  /** The network to the database; null if the database is a file. */
  readonly databaseNetwork: DatabaseNetwork | null;
  readonly random: Random;
}

export interface Disturbances {
  /** How wrong the clock of a process was at most between these times. */
  readonly clockErrorMs: (fromMs: number, untilMs: number) => number;
  readonly counts: ReadonlyMap<string, number>;
  /** Resolves when the last one is over. */
  stop(): Promise<void>;
}

/** Freezes processes, steps their clocks and silences the network, one after the other, at random times. */
export function disturb({ fleet, replicas, databaseNetwork, random }: DisturbanceOptions): Disturbances {
  const counts = new Map<string, number>();
  const wrongFromMs: number[] = [];
  const stopping = new AbortController();
  const disturbances: Readonly<Record<string, (index: number) => Promise<void>>> = {
    'freeze of up to 5 s': (index) => freeze(index, random() * SHORT_FREEZE_MAX_MS),
    'freeze of 26 s': (index) => freeze(index, LONG_FREEZE_MS),
    'clock 20 s wrong': async (index) => {
      wrongFromMs.push(Date.now());
      fleet.signal(index, 'SIGUSR2');
      await pause(WRONG_FOR_MS);
      fleet.signal(index, 'SIGUSR2');
    },
    'silent network to the database': async () => {
      databaseNetwork?.standStill();
      await pause(SILENT_FOR_MS);
      databaseNetwork?.mend();
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
        ...(databaseNetwork === null ? [] : ([[2, 'silent network to the database']] as const)),
      ]);
      counts.set(name, (counts.get(name) ?? 0) + 1);
      await disturbances[name]?.(Math.floor(random() * replicas));
    }
  }

  const ended = run();
  return {
    counts,
    clockErrorMs: (fromMs, untilMs) => {
      const wasWrong = wrongFromMs.some(
        (atMs) => atMs <= untilMs && atMs + WRONG_FOR_MS + STEPPED_WITHIN_MS >= fromMs,
      );
      return wasWrong ? WRONG_BY_MS : 0;
    },
    stop: () => {
      stopping.abort();
      return ended;
    },
  };
}
