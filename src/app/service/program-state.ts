import type { FailingKind, LoopState } from '../../engine/loop-state.ts';
import type { Clock } from '../../engine/runtime/clock.ts';
import type { Projects } from '../../jobs/project.ts';
import type { Store } from '../../store/store.ts';
import type { ProgramState, StoreState } from '../operations/metrics/state.ts';
import { within } from '../operations/within.ts';

/** However often somebody asks, the store is read no more often. */
const FRESH_MS = 5_000;
/** Prometheus waits ten seconds for an answer, and most of it does not need the store. */
const STORE_LIMIT_MS = 2_000;
const HOUR_MS = 3_600_000;
/** What fails once or twice is tried again and done by then. */
const FAILING_FOR_MS = 60_000;

export interface Watched {
  readonly store: Store;
  readonly clock: Clock;
  readonly projects: Projects;
  readonly hourlyBudget: number;
  readonly loops: () => readonly LoopState[];
  readonly slackProblem: () => string | null;
}

/** Returns what reads the state of the program, for its metrics. It never fails. */
export function stateReader(watched: Watched): () => Promise<ProgramState> {
  const { clock, hourlyBudget, loops, slackProblem } = watched;
  let reading: Promise<StoreState | null> | null = null;
  let readAtMs = 0;
  return async () => {
    // Also if the clock was set back: what was read would seem to be fresh for all that time.
    if (reading === null || Math.abs(clock.now() - readAtMs) >= FRESH_MS) {
      readAtMs = clock.now();
      reading = within(STORE_LIMIT_MS, readStore(watched)).catch(() => null);
    }
    return { loops: loops(), isSlackConnected: slackProblem() === null, hourlyBudget, store: await reading };
  };
}

async function readStore({ store, clock, projects, hourlyBudget }: Watched): Promise<StoreState> {
  return store.transaction(async (tx) => {
    const nowMs = clock.now();
    const openJobs = await tx.stats.openJobs();
    const due = await tx.stats.dueTasks(nowMs);
    const failing = await tx.stats.failingTasks(nowMs - FAILING_FOR_MS);
    const failingTasks = new Map(failing.map(({ kind, count }) => [kind, count]));
    const budgetLeft = new Map<string, number>();
    for (const { id, name } of projects) {
      const made = await tx.calls.agentCallsSince(id, nowMs - HOUR_MS);
      budgetLeft.set(name, Math.max(0, hourlyBudget - made));
    }
    const dueTasks = due.map(({ kind, count, dueSinceMs }) => ({
      kind,
      count,
      oldestMs: nowMs - dueSinceMs,
    }));
    return { openJobs, dueTasks, failingTasks, budgetLeft };
  });
}

/**
 * What keeps the loops from their work, or null. Of tasks that fail only a kind of which several do: one may fail for a
 * reason of its own, and must not take the whole program out of service.
 */
export function workProblem(loops: readonly LoopState[]): string | null {
  const problems = loops.flatMap(({ problem, failing }) => [
    ...(problem === null ? [] : [problem]),
    ...failing.filter(({ tasks }) => tasks > 1).map(inWords),
  ]);
  return problems.length === 0 ? null : problems.join('; ');
}

/** What fails again and again, though it is a single task. */
export function workWarnings(loops: readonly LoopState[]): string[] {
  return loops.flatMap(({ failing }) => failing.filter(({ tasks }) => tasks === 1).map(inWords));
}

function inWords({ kind, tasks, sinceMs, words }: FailingKind): string {
  const since = new Date(sinceMs).toISOString();
  return `every ${kind} has failed since ${since} (${tasks === 1 ? '1 task' : `${tasks} tasks`}): ${words}`;
}
