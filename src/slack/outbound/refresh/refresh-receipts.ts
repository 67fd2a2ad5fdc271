import { factsOf } from '../../../engine/job-facts.ts';
import type { Receipt } from '../../../jobs/follow-up.ts';
import type { Job } from '../../../jobs/job.ts';
import type { ClaimedTask, StaleReceipt, Transaction } from '../../../store/store.ts';
import { SlackCallError, type SlackFailure } from '../../workspace/web-api/failure.ts';
import { isHopeless } from '../posts/slack-retry.ts';
import type { SlackTools } from '../slack-tools.ts';
import { endDrawing, sureAtMs } from './end-drawing.ts';

const EMOJI: Readonly<Record<Receipt, string>> = {
  eyes: 'eyes',
  done: 'white_check_mark',
  warning: 'warning',
  muted: 'mute',
  aside: 'speech_balloon',
};

/** Brings the reactions at a job's replies in line with what became of them. Harmless to repeat. */
export async function refreshReceipts(tools: SlackTools, task: ClaimedTask): Promise<void> {
  const startedAtMs = tools.clock.now();
  const isSure = startedAtMs >= sureAtMs(tools, task);
  let failure: SlackFailure | null = null;
  for (;;) {
    const { job, stale } = await tools.store.transaction((tx) => nextReceipts(tx, task));
    if (job === null || stale.length === 0) break;
    const failures = await Promise.all(stale.map((receipt) => show(tools, task, job, receipt, isSure)));
    failure = worst(failures);
    // Those of which it is not sure that they stay as they are now are stale still.
    if (failure !== null || !isSure) break;
  }
  await endDrawing(tools, task, startedAtMs, failure);
}

function worst(failures: readonly (SlackFailure | null)[]): SlackFailure | null {
  const some = failures.filter((failure) => failure !== null);
  return some.find(({ outcome }) => outcome === 'unknown') ?? some[0] ?? null;
}

/** What is about to be put there is recorded first: its answer may get lost, and then it must be taken away. */
async function nextReceipts(tx: Transaction, task: ClaimedTask) {
  await tx.tasks.fence(task.lease);
  const job = await tx.jobs.get(task.subject);
  const stale = await tx.followUps.withStaleReceipts(task.subject);
  for (const { followUpId, placed, wanted } of stale) {
    await tx.followUps.receiptsTried(followUpId, wanted === null ? placed : [...placed, wanted]);
  }
  return { job, stale };
}

async function show(
  tools: SlackTools,
  task: ClaimedTask,
  job: Job,
  { followUpId, messageTs, placed, wanted }: StaleReceipt,
  isSure: boolean,
): Promise<SlackFailure | null> {
  const instead = placed.filter((receipt) => receipt !== wanted).map((receipt) => EMOJI[receipt]);
  const { poster } = await tools.workspaces.of(job.teamId);
  try {
    await poster.react(job.channelId, messageTs, wanted && EMOJI[wanted], instead);
  } catch (error) {
    if (!(error instanceof SlackCallError)) throw error;
    const { code } = error.failure;
    tools.log.warn('receipt_not_shown', { ...factsOf(job), follow_up_id: followUpId, reason: code });
    // A reply that was deleted, or a channel that was left, takes no reaction any more.
    if (!isHopeless(task, error.failure)) return error.failure;
  }
  if (!isSure) return null;
  await tools.store.transaction(async (tx) => {
    await tx.tasks.fence(task.lease);
    await tx.followUps.receiptShown(followUpId, wanted);
  });
  return null;
}
