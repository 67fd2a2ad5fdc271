import { applyEvent } from '../../engine/apply-event.ts';
import type { ClaimedTask, Transaction } from '../../store/store.ts';
import type { AgentTools } from './agent-tools.ts';
import { isNextInLine } from './budget.ts';

/**
 * How often, and for how long each time, replies wait for older ones that are being looked for: their thread is read
 * first, which takes a minute where Slack limits reads most. The wait ends when the thread has been read.
 */
const MAX_WAITS_FOR_OLDER = 9;
const WAIT_FOR_OLDER_MS = 10_000;
/** How often, and for how long each time, they wait for the job to be read, if it could not be read of late. */
const MAX_WAITS_FOR_CHECK = 3;
const WAIT_FOR_CHECK_MS = 1_000;

/**
 * The batching window is over: the waiting replies become one message call. If the thread is to be read for
 * missed replies, which may be older, that is done first, and so is a look at a job that could not be read of late:
 * a new turn hides the pull request of the one before. But replies do not wait for ever.
 */
export async function sendFollowUps(tools: AgentTools, task: ClaimedTask): Promise<void> {
  const send = async (tx: Transaction) => {
    const context = tools.newContext();
    const { nowMs } = context;
    const waitMs = await mustWaitMs(tx, task, nowMs);
    if (waitMs > 0) return tx.tasks.retryAt(task.lease, nowMs + waitMs);
    const isCalled = await isNextInLine(tools, tx, task.subject, nowMs);
    await applyEvent(tx, task.subject, { type: 'send_due', isCalled }, context);
    await tx.tasks.complete(task.lease);
  };
  // They go out after another commit, and not without this one.
  await tools.store.transaction(send, { mayBeLost: true });
}

async function mustWaitMs(
  tx: Transaction,
  { subject, attempts }: ClaimedTask,
  nowMs: number,
): Promise<number> {
  if (attempts < MAX_WAITS_FOR_OLDER && (await tx.catchUps.readFirst(subject))) return WAIT_FOR_OLDER_MS;
  const job = await tx.jobs.get(subject);
  if (attempts >= MAX_WAITS_FOR_CHECK || job?.trouble?.source !== 'check') return 0;
  return (await tx.tasks.runNow('check_job', subject, nowMs)) ? WAIT_FOR_CHECK_MS : 0;
}
