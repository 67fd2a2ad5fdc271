import { type Random, seededRandom } from '../../test/soak/random.ts';
import { type Lengths, lengthMs } from './lengths.ts';
import type { Schedule } from './schedules.ts';

/** So many jobs of a project go on at a time, on average. */
const AT_ONCE = 3;

export interface PlannedJob {
  readonly startsAtMs: number;
  readonly endsAtMs: number;
}

export interface Watched {
  /** Of all jobs together. */
  readonly reads: number;
  /** From the end of each job until a read saw it. The post follows in milliseconds. */
  readonly delaysMs: readonly number[];
}

interface Watch extends PlannedJob {
  nextReadAtMs: number;
}

/** The jobs of a project: they come at random, the same for the same seed. */
export function planJobs(lengths: Lengths, jobs: number, seed: number): PlannedJob[] {
  const random = seededRandom(seed);
  let startsAtMs = 0;
  return Array.from({ length: jobs }, () => {
    startsAtMs -= (Math.log(1 - random()) * lengths.middleMs) / AT_ONCE;
    return { startsAtMs, endsAtMs: startsAtMs + lengthMs(lengths, random) };
  });
}

/** Reads the jobs when the schedule says, in the order of time: it knows of no end that was not seen by then. */
export function watchJobs(jobs: readonly PlannedJob[], schedule: Schedule, random: Random): Watched {
  const pastTurnsMs: number[] = [];
  const delaysMs: number[] = [];
  const toStart = jobs.toSorted((a, b) => a.startsAtMs - b.startsAtMs);
  const live = new Set<Watch>();
  let started = 0;
  let reads = 0;
  for (;;) {
    const next = [...live].reduce<Watch | null>(earlier, null);
    const coming = toStart[started];
    if (coming !== undefined && (next === null || coming.startsAtMs <= next.nextReadAtMs)) {
      started += 1;
      live.add({ ...coming, nextReadAtMs: coming.startsAtMs + schedule(0, pastTurnsMs, random()) });
      continue;
    }
    if (next === null) return { reads, delaysMs };
    reads += 1;
    const ageMs = next.nextReadAtMs - next.startsAtMs;
    if (next.nextReadAtMs >= next.endsAtMs) {
      delaysMs.push(next.nextReadAtMs - next.endsAtMs);
      pastTurnsMs.push(ageMs);
      live.delete(next);
    } else {
      next.nextReadAtMs += schedule(ageMs, pastTurnsMs, random());
    }
  }
}

function earlier(first: Watch | null, second: Watch): Watch {
  return first !== null && first.nextReadAtMs <= second.nextReadAtMs ? first : second;
}
