import { readFileSync, writeFileSync } from 'node:fs';
import type { StoreLocation } from '../../../src/store/open.ts';
import { type Commit, type Invariant, type InvariantName, invariants, nameOf } from '../invariants.ts';
import { brokenAtRest, type Rest } from './at-rest.ts';
import { type Change, onCommit, placeOf } from './notes.ts';
import type { JobRows } from './rows.ts';
import { watches } from './watches.ts';
import { type Limits, type OutwardCall, World } from './world.ts';

/** What stand-ins carried out: each list only grows. */
type Outside = () => readonly (readonly OutwardCall[])[];

interface WatchOptions extends Limits {
  readonly outside?: Outside;
}

/** So much of what led to a violation is told. */
const STORY_LENGTH = 200;

type Step = (Commit & { readonly jobId: string }) | OutwardCall;

/** Of a program that is a process. */
export type NotedCommit = Omit<Change, 'place'>;

/** Holds every commit, and every call that the stand-ins carried out, against the invariants, in their order. */
class Judge {
  /** Each with its story. */
  readonly violations: string[] = [];
  readonly #world: World;
  readonly #steps: Step[] = [];
  readonly #versions = new Map<string, number>();

  constructor(limits: Limits) {
    this.#world = new World(limits);
  }

  commit({ jobs, version }: Pick<Change, 'jobs' | 'version'>): void {
    for (const [jobId, after] of jobs) {
      // SQLite's have none: the store may have moved there.
      if (version !== 0 && version < (this.#versions.get(jobId) ?? 0)) continue;
      this.#versions.set(jobId, version);
      const commit = { jobId, before: this.#world.job(jobId), after };
      this.#steps.push(commit);
      this.#world.note(jobId, after);
      this.#judge(jobId, ({ ofCommit }) => ofCommit?.(commit, this.#world));
    }
  }

  call(call: OutwardCall): void {
    this.#steps.push(call);
    const about = call.to === 'slack' ? (call.callId ?? '') : call.agentJobId;
    this.#judge(about, ({ ofCall }) => ofCall?.(call, this.#world));
    this.#world.noteCall(call);
  }

  rest(rest: Rest): string[] {
    return [...this.violations.splice(0), ...brokenAtRest(this.#world.rows(), rest)];
  }

  #judge(about: string, judge: (invariant: Invariant) => readonly string[] | undefined): void {
    for (const name of Object.keys(invariants) as InvariantName[]) {
      for (const wrong of judge(invariants[name]) ?? []) {
        this.violations.push(`Broken: ${name}\n${wrong}\n${this.#storyOf(about)}`);
      }
    }
  }

  /** Commits and calls in their order, of the job that it is about. */
  #storyOf(about: string): string {
    const jobId = this.#world.ownerOf(about)?.job.id ?? about;
    const rows = this.#world.job(jobId);
    const callIds = new Set(rows?.calls.map(({ id }) => id));
    const agentJobs = [about, rows?.job.agentJob?.id];
    const isAbout = (step: Step) =>
      'jobId' in step
        ? step.jobId === jobId
        : step.to === 'agent'
          ? agentJobs.includes(step.agentJobId)
          : callIds.has(step.callId ?? about);
    const story = this.#steps.filter(isAbout).slice(-STORY_LENGTH);
    return story.map((step) => `  ${'jobId' in step ? told(step) : calledOut(step)}`).join('\n');
  }
}

/** Judges the commits of this process as they happen. */
export class Watch implements Disposable {
  readonly #judge: Judge;
  readonly #outside: Outside;
  readonly #seen = new Map<readonly OutwardCall[], number>();
  readonly #places: string[];
  readonly #end: () => void;

  /** `location`: of the store to watch. */
  constructor(location: StoreLocation, { outside = () => [], ...limits }: WatchOptions = {}) {
    this.#judge = new Judge(limits);
    this.#outside = outside;
    this.#places = [placeOf(location)];
    watches.add(this);
    this.#end = onCommit((change) => {
      if (!this.#places.includes(change.place)) return;
      this.#look();
      this.#judge.commit(change);
    });
  }

  /** Another store, of a program that uses the same stand-ins. */
  include(location: StoreLocation): void {
    this.#places.push(placeOf(location));
  }

  /** Throws if an invariant was broken, once. */
  verify(): void {
    this.#look();
    refuse(this.#judge.violations.splice(0));
  }

  /** What is broken now that nothing is left to do. */
  rest(rest: Rest): string[] {
    this.#look();
    return this.#judge.rest(rest);
  }

  [Symbol.dispose](): void {
    watches.delete(this);
    this.#end();
  }

  #look(): void {
    for (const calls of this.#outside()) {
      for (const call of calls.slice(this.#seen.get(calls) ?? 0)) this.#judge.call(call);
      this.#seen.set(calls, calls.length);
    }
  }
}

const CHILD = new URL('./child.ts', import.meta.url).href;

/**
 * Lets programs that are processes note their commits in a file. These and what the stand-ins carried out
 * meanwhile are judged in the order of time.
 */
export function notesOfCommits(path: string, { outside = () => [], ...limits }: WatchOptions) {
  writeFileSync(path, '');
  const steps = () => {
    const lines = readFileSync(path, 'utf8').split('\n').slice(0, -1);
    return [...lines.map(noted), ...outside().flat()].toSorted((one, other) => one.atMs - other.atMs);
  };
  return {
    env: { INVARIANTS_NOTES: path },
    nodeArgs: ['--import', CHILD],
    /** In the order of time. */
    steps,
    /** Each violation, with its story. `rest`: when nothing is left to do. */
    violations: (rest: Rest | null = null): readonly string[] => {
      const judge = new Judge(limits);
      for (const step of steps()) {
        if ('jobs' in step) judge.commit(step);
        else judge.call(step);
      }
      return rest === null ? judge.violations : judge.rest(rest);
    },
  };
}

function noted(line: string): NotedCommit {
  const { jobs, ...change } = JSON.parse(line) as Omit<NotedCommit, 'jobs'> & {
    jobs: [string, JobRows | null][];
  };
  return { ...change, jobs: new Map(jobs) };
}

export function refuse(violations: readonly string[]): void {
  if (violations.length > 0) throw new Error(violations.join('\n\n'));
}

function told({ before, after }: Commit): string {
  if (after === null) return 'commit: the job is deleted';
  const changes = [
    ...changed(before, after, ({ job }) => [['job', job.stage.kind]]),
    ...changed(before, after, ({ calls }) => calls.map((call) => [nameOf(call), call.state])),
    ...changed(before, after, ({ followUps }) =>
      followUps.map(({ messageTs, state }) => [`reply ${messageTs}`, state]),
    ),
    ...changed(before, after, ({ tasks }) => tasks.map((task) => [task.replace(/:.*/, ''), 'planned'])),
  ];
  return `commit: ${changes.join(', ') || 'other columns'}`;
}

type Facts = readonly (readonly [what: string, state: string])[];

function changed(before: JobRows | null, after: JobRows, facts: (rows: JobRows) => Facts): string[] {
  const was = new Map(before === null ? [] : facts(before));
  const is = new Map(facts(after));
  const gone = [...was.keys()].filter((what) => !is.has(what));
  return [
    ...[...is].filter(([what, state]) => was.get(what) !== state).map(([what, state]) => `${what} ${state}`),
    ...gone.map((what) => `${what} gone`),
  ];
}

function calledOut(call: OutwardCall): string {
  return call.to === 'slack'
    ? `Slack: ${call.method} ${call.channel} ${call.callId ?? ''}`
    : `agent: ${call.operation} ${call.agentJobId} ${JSON.stringify(call.prompt)}`;
}
