import { checkIntervalMs } from '../../src/jobs/schedule/schedule.ts';
import { type Allowance, allowanceOf, takeFrom } from '../../src/jobs/schedule/slowdown.ts';
import { type Random, seededRandom } from '../../test/soak/random.ts';
import type { Watched } from './watched.ts';

const MINUTE_MS = 60_000;
/** A third of the jobs each: 1 to 3 minutes, some 10 minutes, some hour. */
const MIDDLES_MS = [Math.sqrt(3) * MINUTE_MS, 10 * MINUTE_MS, 60 * MINUTE_MS] as const;
/** Four of five take between a √3rd and √3 times the middle (log-normal). */
const SPREAD = Math.log(3) / 2 / 1.2816;
/** The program's defaults. */
const READS_PER_MINUTE = 600;
const policy = { pollMinIntervalMs: 2_000, pollMaxIntervalMs: MINUTE_MS };

interface OpenJob {
  readonly startedAtMs: number;
  readonly endsAtMs: number;
  readonly dueAtMs: number;
}

/** Watches one project with so many open jobs, on a machine that is never too slow. */
export function simulate(openJobs: number, durationMs: number, seed: number): Watched {
  return simulateProjects(
    { projects: 1, openJobs, readsPerMinute: READS_PER_MINUTE, checksPerSecond: Number.POSITIVE_INFINITY },
    durationMs,
    seed,
  );
}

export interface WatchedProjects {
  readonly projects: number;
  /** Of each project. */
  readonly openJobs: number;
  /** The budget of each project. */
  readonly readsPerMinute: number;
  /** So many checks all replicas make together, at most. */
  readonly checksPerSecond: number;
}

/**
 * Watches projects by the program's own schedule and read budget: whoever has been due for longest is read, as soon as the
 * budget of the project has a read, and a replica has time. When the end of a job is seen, the next one starts.
 */
export function simulateProjects(load: WatchedProjects, durationMs: number, seed: number): Watched {
  const random = seededRandom(seed);
  const countsFromMs = durationMs / 3;
  const newJob = (nowMs: number): OpenJob => ({
    startedAtMs: nowMs,
    endsAtMs: nowMs + lengthMs(random),
    dueAtMs: nowMs + policy.pollMinIntervalMs,
  });
  const projects = Array.from(
    { length: load.projects },
    () =>
      new Project(
        load.readsPerMinute,
        Array.from({ length: load.openJobs }, () => newJob(0)),
      ),
  );
  const delaysMs: number[] = [];
  let reads = 0;
  for (let nowMs = 0; ; ) {
    const project = projects.reduce((first, other) => (other.nextAtMs < first.nextAtMs ? other : first));
    nowMs = Math.max(nowMs, project.nextAtMs);
    const openMs = load.projects * load.openJobs * (durationMs - countsFromMs);
    if (nowMs >= durationMs) return { reads, openMs, delaysMs };
    const job = project.take(nowMs);
    const isOver = nowMs >= job.endsAtMs;
    if (nowMs >= countsFromMs) {
      reads += 1;
      if (isOver) delaysMs.push(nowMs - job.endsAtMs);
    }
    const checked = { turnAgeMs: nowMs - job.startedAtMs, lateMs: nowMs - job.dueAtMs };
    project.put(
      isOver ? newJob(nowMs) : { ...job, dueAtMs: nowMs + checkIntervalMs(checked, policy, random()) },
    );
    nowMs += 1_000 / load.checksPerSecond;
  }
}

class Project {
  /** When the next read is due, and allowed. */
  nextAtMs = 0;
  private readonly allowance: Allowance;
  private readonly queue: DueQueue;
  private wholeAtMs = 0;

  constructor(readsPerMinute: number, jobs: readonly OpenJob[]) {
    this.allowance = allowanceOf(readsPerMinute);
    this.queue = new DueQueue(jobs);
    this.plan();
  }

  /** The job that has been due for longest, to be put back. */
  take(nowMs: number): OpenJob {
    ({ wholeAtMs: this.wholeAtMs } = takeFrom(this.allowance, this.wholeAtMs, 1, nowMs));
    return this.queue.first;
  }

  put(job: OpenJob): void {
    this.queue.replaceFirst(job);
    this.plan();
  }

  private plan(): void {
    const { dueAtMs } = this.queue.first;
    const { count, againAtMs } = takeFrom(this.allowance, this.wholeAtMs, 1, dueAtMs);
    this.nextAtMs = count > 0 ? dueAtMs : againAtMs;
  }
}

function lengthMs(random: Random): number {
  const middleMs = MIDDLES_MS[Math.floor(random() * MIDDLES_MS.length)] ?? MINUTE_MS;
  // 1 - r: the logarithm of 0 is none.
  const normal = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  return middleMs * Math.exp(SPREAD * normal);
}

/** A binary heap. */
class DueQueue {
  private readonly jobs: OpenJob[];

  constructor(jobs: readonly OpenJob[]) {
    this.jobs = jobs.toSorted((one, other) => one.dueAtMs - other.dueAtMs);
  }

  get first(): OpenJob {
    return this.at(0);
  }

  replaceFirst(job: OpenJob): void {
    let place = 0;
    for (;;) {
      const left = 2 * place + 1;
      if (left >= this.jobs.length) break;
      const isRight = left + 1 < this.jobs.length && this.at(left + 1).dueAtMs < this.at(left).dueAtMs;
      const sooner = isRight ? left + 1 : left;
      if (this.at(sooner).dueAtMs >= job.dueAtMs) break;
      this.jobs[place] = this.at(sooner);
      place = sooner;
    }
    this.jobs[place] = job;
  }

  private at(place: number): OpenJob {
    const job = this.jobs[place];
    if (job === undefined) throw new Error('there is no such job');
    return job;
  }
}
