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
  /** How many there were. */
  count(): number;
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
  let count = 0;
  let isReadRefused = false;
  const stopping = new AbortController();

  async function freeze(index: number, ms: number): Promise<void> {
    fleet.signal(index, 'SIGSTOP');
    await pause(ms);
    fleet.signal(index, 'SIGCONT');
  }
  async function stepClock(index: number): Promise<void> {
    fleet.signal(index, 'SIGUSR2');
    await pause(WRONG_FOR_MS);
    fleet.signal(index, 'SIGUSR2');
  }
  async function refreshSockets(): Promise<void> {
    socket.refresh('refresh_requested');
    await pause(REFRESH_MS);
  }
  async function removeBot(): Promise<void> {
    const channel = channels[Math.floor(random() * channels.length)] ?? '';
    control.remove(channel, strictApp.botUserId);
    await pause(OUT_FOR_MS);
    control.invite(channel, strictApp.botUserId);
  }
  async function refuseOneRead(): Promise<void> {
    isReadRefused = true;
    refuseRead();
  }
  async function silenceDatabase(): Promise<void> {
    databaseNetwork?.standStill();
    await pause(SILENT_FOR_MS);
    databaseNetwork?.mend();
  }

  async function run(): Promise<void> {
    for (;;) {
      const pauseMs = PAUSE_MIN_MS + random() * (PAUSE_MAX_MS - PAUSE_MIN_MS);
      await pause(pauseMs, null, { signal: stopping.signal }).catch(() => {});
      if (stopping.signal.aborted) return;
      const disturbance = choose<(index: number) => Promise<void>>(random, [
        [3, (index) => freeze(index, random() * SHORT_FREEZE_MAX_MS)],
        [1, (index) => freeze(index, LONG_FREEZE_MS)],
        [2, stepClock],
        [2, refreshSockets],
        [1, async () => socket.cut()],
        [2, removeBot],
        [4, visit],
        // Nothing is read for five minutes then: once is enough.
        [isReadRefused ? 0 : 1, refuseOneRead],
        [databaseNetwork === null ? 0 : 2, silenceDatabase],
      ]);
      count += 1;
      await disturbance(Math.floor(random() * replicas));
    }
  }

  const ended = run();
  return {
    count: () => count,
    stop: () => {
      stopping.abort();
      return ended;
    },
  };
}
