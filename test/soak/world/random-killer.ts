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
  readonly kills: number;
  readonly random: Random;
  readonly note: (progress: string) => void;
}

/** Kills one process after the other at random times; each is replaced at once. */
export async function killAtRandom({ fleet, replicas, kills, random, note }: KillOptions): Promise<void> {
  for (let kill = 1; kill <= kills; kill += 1) {
    const index = Math.floor(random() * replicas);
    if (random() < STARTED_SHARE) await fleet.started(index);
    await pause(LIFE_MIN_MS + random() * (LIFE_MAX_MS - LIFE_MIN_MS));
    await fleet.kill(index);
    if (kill % 20 === 0) note(`${kill} of ${kills} kills`);
  }
}
