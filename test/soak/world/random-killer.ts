import { setTimeout as pause } from 'node:timers/promises';
import type { Random } from '../random.ts';
import type { Fleet } from './fleet.ts';

/** Counted from its launch, so that it may die while it starts; or else from when it has started. */
const LIFE_MIN_MS = 300;
const LIFE_MAX_MS = 5_000;
const STARTED_SHARE = 0.7;

export interface KillOptions {
  readonly fleet: Fleet;
  readonly replicas: number;
  /** Killed in turns with the others; null: the agent API is a stand-in. */
  readonly runner: Fleet | null;
  /** Whether one more is killed, after so many. */
  readonly goesOn: (kills: number) => boolean;
  readonly random: Random;
  readonly note: (progress: string) => void;
}

/** Kills one process after the other at random times; each is replaced at once. Returns how many it killed. */
export async function killAtRandom(options: KillOptions): Promise<number> {
  const { fleet, replicas, runner, goesOn, random, note } = options;
  let kills = 0;
  while (goesOn(kills)) {
    const isRunner = runner !== null && kills % 2 === 1;
    const [victims, index] = isRunner ? [runner, 0] : [fleet, Math.floor(random() * replicas)];
    if (random() < STARTED_SHARE) await victims.started(index);
    await pause(LIFE_MIN_MS + random() * (LIFE_MAX_MS - LIFE_MIN_MS));
    await victims.kill(index);
    kills += 1;
    if (kills % 20 === 0) note(`${kills} kills`);
  }
  return kills;
}
