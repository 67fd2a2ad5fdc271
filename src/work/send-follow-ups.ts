import { applyEvent } from '../store/apply-event.ts';
import type { ClaimedTask } from '../store/store.ts';
import type { Tools } from './tools.ts';

/** How often, and for how long each time, replies wait for older ones that are being looked for. */
const MAX_WAITS = 20;
const WAIT_MS = 1_000;

/**
 * The batching window is over: the waiting replies become one message call. If the thread is to be read for
 * missed replies, which may be older, that is done first; but replies do not wait for it for ever.
 */
export async function sendFollowUps(tools: Tools, task: ClaimedTask): Promise<void> {
  await tools.store.transaction(async (tx) => {
    await tx.tasks.fence(task.lease);
    const context = tools.newContext();
    const { nowMs } = context;
    if (task.attempts < MAX_WAITS && (await tx.tasks.hasten('catch_up', task.subject, nowMs))) {
      await tx.tasks.postpone(task.lease, nowMs + WAIT_MS);
      return;
    }
    await applyEvent(tx, task.subject, { type: 'send_due' }, context);
    await tx.tasks.complete(task.lease);
  });
}
