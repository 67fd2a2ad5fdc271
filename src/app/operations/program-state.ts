import type { LoopState } from '../../engine/failing-kinds.ts';
import type { Clock } from '../../engine/runtime/clock.ts';
import type { Projects } from '../../jobs/requests/project.ts';
import type { DataDirState } from '../../store/backup.ts';
import type { Store } from '../../store/store.ts';

/** The store is read no more often than this, however often metrics are requested. */
const FRESH_MS = 5_000;
/** Prometheus waits ten seconds for an answer, and most of it does not need the store. */
const STORE_LIMIT_MS = 2_000;
const HOUR_MS = 3_600_000;
/** By then, an occasional failure has been retried with success. */
const FAILING_FOR_MS = 60_000;

interface Watched {
  readonly store: Store;
  readonly clock: Clock;
  readonly projects: Projects;
  /** Create and message calls per project and hour. */
  readonly hourlyBudget: number;
  readonly loops: () => readonly LoopState[];
  readonly slackProblem: () => string | null;
  /** Null: there is none, or it cannot be read. */
  readonly readDataDir: () => DataDirState | null;
}

export type ProgramState = Awaited<ReturnType<ReturnType<typeof stateReader>>>;

/** Returns a reader of the program's state, for its metrics, which never fails. */
export function stateReader(watched: Watched) {
  const { clock, hourlyBudget, loops, slackProblem, readDataDir } = watched;
  let reading: Promise<Awaited<ReturnType<typeof readStore>> | null> | null = null;
  let readAtMs = 0;
  return async () => {
    // The absolute difference: after the clock was set back, old data would seem fresh.
    if (reading === null || Math.abs(clock.now() - readAtMs) >= FRESH_MS) {
      readAtMs = clock.now();
      reading = clock.timeout(STORE_LIMIT_MS, readStore(watched), null).catch(() => null);
    }
    return {
      loops: loops(),
      isSlackConnected: slackProblem() === null,
      hourlyBudget,
      /** Null: the store does not answer, or cannot be written. */
      store: await reading,
      dataDir: readDataDir(),
    };
  };
}

/** What the store holds; replicas that share a store all report the same. */
async function readStore({ store, clock, projects, hourlyBudget }: Watched) {
  // A full disk can still be read.
  await store.check();
  return store.transaction(async (tx) => {
    const nowMs = clock.now();
    const openJobs = await tx.stats.openJobs();
    const due = await tx.stats.dueTasks(nowMs);
    const failing = await tx.stats.failingTasks(nowMs - FAILING_FOR_MS);
    /** Calls left in this hour, by the project's name. */
    const budgetLeft = new Map<string, number>();
    for (const { id, name } of projects) {
      const made = await tx.calls.agentCallsSince(id, nowMs - HOUR_MS);
      budgetLeft.set(name, Math.max(0, hourlyBudget - made));
    }
    return {
      openJobs,
      dueTasks: due.map(({ dueSinceMs, ...tasks }) => ({ ...tasks, oldestMs: nowMs - dueSinceMs })),
      /** By kind, how many tasks have only failed for a minute or longer. */
      failingTasks: new Map<string, number>(failing.map(({ kind, count }) => [kind, count])),
      budgetLeft,
    };
  });
}

/**
 * What keeps the loops from working. Failing tasks count only if several of a kind fail: a single one may fail
 * for a reason of its own, and must not take the whole program out of service.
 */
export function workProblems(loops: readonly LoopState[]): string[] {
  return loops.flatMap(({ problem, failing }) => [
    ...(problem === null ? [] : [problem]),
    ...failingWords(failing.filter(({ tasks }) => tasks > 1)),
  ]);
}

export function workWarnings(loops: readonly LoopState[]): string[] {
  return loops.flatMap(({ failing }) => failingWords(failing.filter(({ tasks }) => tasks === 1)));
}

function failingWords(failing: LoopState['failing']): string[] {
  return failing.map(({ kind, tasks, sinceMs, words }) => {
    const since = new Date(sinceMs).toISOString();
    return `every ${kind} has failed since ${since} (${tasks === 1 ? '1 task' : `${tasks} tasks`}): ${words}`;
  });
}
