import { applyEvent } from '../../engine/apply-event.ts';
import type { ClaimedTask, Transaction } from '../../store/store.ts';
import type { AgentTools } from './agent-tools.ts';

/**
 * How often, and for how long each time, replies wait for older ones that are being looked for: their thread is read
 * first, which takes a minute where Slack limits reads most.
 */
const MAX_WAITS = 90;
/** How often they wait for the job to be read, if it could not be read of late. */
const MAX_WAITS_FOR_READ = 3;
const WAIT_MS = 1_000;

/**
 * The batching window is over: the waiting replies become one message call. If the thread is to be read for
 * missed replies, which may be older, that is done first, and so is a look at a job that could not be read of late:
 * a new turn hides the pull request of the one before. But replies do not wait for ever.
 */
export async function sendFollowUps(tools: AgentTools, task: ClaimedTask): Promise<void> {
  const send = async (tx: Transaction) => {
    const context = tools.newContext();
    const { nowMs } = context;
    if (await mustWait(tx, task, nowMs)) {
      await tx.tasks.retryAt(task.lease, nowMs + WAIT_MS);
      return;
    }
    await applyEvent(tx, task.subject, { type: 'send_due' }, context);
    await tx.tasks.complete(task.lease);
  };
  // They go out after another commit, and not without this one.
  await tools.store.transaction(send, { mayBeLost: true });
}

async function mustWait(
  tx: Transaction,
  { subject, attempts }: ClaimedTask,
  nowMs: number,
): Promise<boolean> {
  if (attempts < MAX_WAITS && (await tx.catchUps.readFirst(subject))) return true;
  const job = await tx.jobs.get(subject);
  if (attempts >= MAX_WAITS_FOR_READ || job?.trouble?.source !== 'check') return false;
  return tx.tasks.runNow('check_job', subject, nowMs);
}
