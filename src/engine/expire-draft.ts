import type { ClaimedTask } from '../store/store.ts';
import { applyEvent } from './apply-event.ts';
import type { EngineTools } from './tools.ts';

/** Nobody has started the draft in time: it is forgotten, and its message says so. */
export async function expireDraft({ store, newContext }: EngineTools, task: ClaimedTask): Promise<void> {
  await store.transaction(async (tx) => {
    await tx.tasks.fence(task.lease);
    if ((await tx.jobs.get(task.subject)) !== null) {
      await applyEvent(tx, task.subject, { type: 'draft_expired' }, newContext());
    }
    await tx.tasks.complete(task.lease);
  });
}
