import type { ClaimedTask } from '../store/store.ts';
import type { EngineTools } from './tools.ts';

/** The program stops: the next call of the lane is made by another process, which may take the task at once. */
export async function leave(tools: EngineTools, task: ClaimedTask): Promise<void> {
  await tools.store.transaction((tx) => tx.tasks.release([task.lease]));
}
