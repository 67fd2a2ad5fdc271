import type { ClaimedTask } from '../../../src/store/store.ts';
import { createLoopWorld, type LoopWorld } from './a-loop.ts';

/** A handler that notes what it took, and waits where a test has put a stone in its way. */
function createWorker() {
  const taken: string[] = [];
  const done: string[] = [];
  const stones = new Map<string, PromiseWithResolvers<void>>();
  return {
    taken,
    done,
    handle: async (task: ClaimedTask, world: LoopWorld) => {
      taken.push(task.subject);
      await stones.get(task.subject)?.promise;
      await world.complete(task);
      done.push(task.subject);
    },
    /** The task of this subject stays in flight until `finish`. */
    delay: (...subjects: string[]) => {
      for (const subject of subjects) stones.set(subject, Promise.withResolvers());
    },
    finish: (subject: string) => stones.get(subject)?.resolve(),
  };
}

/** A loop with such a handler, and what is due already. */
export async function aLoop({ slots, due = [] }: { slots?: number; due?: readonly string[] } = {}) {
  const worker = createWorker();
  const world = await createLoopWorld(worker.handle, slots);
  for (const subject of due) await world.schedule(subject);
  return { worker, world };
}
