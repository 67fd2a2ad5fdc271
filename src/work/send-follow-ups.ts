import { applyEvent } from '../store/apply-event.ts';
import type { ClaimedTask } from '../store/store.ts';
import type { Tools } from './tools.ts';

/** The batching window is over: the waiting replies become one message call. */
export async function sendFollowUps(tools: Tools, task: ClaimedTask): Promise<void> {
  await tools.store.transaction(async (tx) => {
    await tx.tasks.fence(task.lease);
    await applyEvent(tx, task.subject, { type: 'send_due' }, tools.newContext());
    await tx.tasks.complete(task.lease);
  });
}
