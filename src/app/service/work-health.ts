import type { FailingKind, LoopState } from '../../engine/loop-state.ts';

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
