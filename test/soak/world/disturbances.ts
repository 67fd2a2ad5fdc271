import { setTimeout as pause } from 'node:timers/promises';
import type { DatabaseProxy } from '../../replicas/support/database-proxy.ts';
import { strictApp } from '../../support/strict-slack/ids.ts';
import type { StrictSlack } from '../../support/strict-slack.ts';
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

const OUT_FOR_MS = 8_000;
/** Slack closes a connection ten seconds after it has said so. */
const REFRESH_MS = 10_000;

export type DatabaseNetwork = Pick<DatabaseProxy, 'standStill' | 'mend'>;

export interface DisturbanceOptions {
  readonly fleet: Fleet;
  readonly replicas: number;
  readonly slack: Pick<StrictSlack, 'control' | 'socket'>;
  /** The bot is removed from one of them, and let in again. */
  readonly channels: readonly string[];
  /** A read is answered 429, with a time in milliseconds where seconds belong. */
  readonly refuseRead: () => void;
  /** Another program with the same tokens comes, and goes. */
  readonly visit: () => Promise<void>;
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

/**
 * Freezes processes, steps their clocks, silences the network, has Slack replace or cut its connections and remove the
 * bot from channels, the agent API err about its limit, and a second program take a share of the requests: one after the
 * other, at random times.
 */
export function disturb(options: DisturbanceOptions): Disturbances {
  const { fleet, replicas, slack, channels, refuseRead, visit, databaseNetwork, random } = options;
  const { control, socket } = slack;
  let isReadRefused = false;
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
    'announced refresh of all sockets': async () => {
      socket.refresh('refresh_requested');
      await pause(REFRESH_MS);
    },
    'sockets that break': async () => socket.cut(),
    'bot out of a channel': async () => {
      const channel = channels[Math.floor(random() * channels.length)] ?? '';
      control.remove(channel, strictApp.botUserId);
      await pause(OUT_FOR_MS);
      control.invite(channel, strictApp.botUserId);
    },
    'Retry-After in milliseconds at a read': async () => {
      isReadRefused = true;
      refuseRead();
    },
    'second program with the same tokens': visit,
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
        [2, 'announced refresh of all sockets'],
        [1, 'sockets that break'],
        [2, 'bot out of a channel'],
        [4, 'second program with the same tokens'],
        // Nothing is read for five minutes then: once is enough.
        [isReadRefused ? 0 : 1, 'Retry-After in milliseconds at a read'],
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
