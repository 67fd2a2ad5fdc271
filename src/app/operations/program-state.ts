import type { LoopState } from '#engine/loop.ts';
import type { Projects } from '#jobs/requests/command.ts';
import type { Clock } from '#runtime/clock.ts';
import type { DataDirState } from '#store/backup.ts';
import type { Store } from '#store/store.ts';

const FRESH_MS = 5_000;
/** Prometheus waits ten seconds; most metrics don't need the store. */
const STORE_LIMIT_MS = 2_000;
const HOUR_MS = 3_600_000;

type Watched = Readonly<{
  store: Store;
  clock: Clock;
  projects: Projects;
  /** Per project. */
  hourlyBudget: number;
  loops: () => readonly LoopState[];
  slackProblem: () => string | null;
  readDataDir: () => DataDirState | null;
}>;

export type ProgramState = Awaited<ReturnType<ReturnType<typeof stateReader>>>;

/** The reader never throws. */
export function stateReader(watched: Watched) {
  const { clock, hourlyBudget, loops, slackProblem, readDataDir } = watched;
  const read = () => clock.timeout(STORE_LIMIT_MS, readStore(watched), null).catch(() => null);
  let reading: ReturnType<typeof read> | null = null;
  let readAtMs = 0;
  return async () => {
    // Absolute: if the clock was set back, old data would seem fresh.
    if (reading === null || Math.abs(clock.now() - readAtMs) >= FRESH_MS) {
      readAtMs = clock.now();
      reading = read();
    }
    return {
      loops: loops(),
      isSlackConnected: slackProblem() === null,
      hourlyBudget,
      /** Null: unavailable or read-only. */
      store: await reading,
      dataDir: readDataDir(),
    };
  };
}

async function readStore({ store, clock, projects }: Watched) {
  // A full disk is still readable.
  await store.check();
  return store.transaction(async (tx) => {
    const nowMs = clock.now();
    /** By project name, in the last hour. */
    const agentCalls = new Map<string, number>();
    for (const { id, name } of projects) {
      agentCalls.set(name, await tx.calls.agentCallsSince(id, nowMs - HOUR_MS));
    }
    return {
      nowMs,
      agentCalls,
      openJobs: await tx.stats.openJobs(),
      due: await tx.stats.dueTasks(nowMs),
      failing: await tx.stats.failingTasks(nowMs),
    };
  });
}

export function workProblems(loops: readonly LoopState[]): string[] {
  return [...loops.flatMap(({ problem }) => problem ?? []), ...failingWords(loops, false)];
}

/** @param isSingle a single task, whose cause may be its own: it must not make the program unready */
export function failingWords(loops: readonly LoopState[], isSingle: boolean): string[] {
  const failing = loops.flatMap((loop) => loop.failing).filter(({ tasks }) => (tasks === 1) === isSingle);
  return failing.map(({ kind, tasks, sinceMs, words }) => {
    const since = new Date(sinceMs).toISOString();
    return `every ${kind} has failed since ${since} (${isSingle ? '1 task' : `${tasks} tasks`}): ${words}`;
  });
}
