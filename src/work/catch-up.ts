import { isBeforeJob, type Job } from '../jobs/job.ts';
import { SlackCallError } from '../slack/calls/failure.ts';
import { type ThreadMessage, TOO_MANY_MESSAGES } from '../slack/calls/poster.ts';
import { messageKeys, replyOf } from '../slack/incoming/reply.ts';
import { isTooOld } from '../slack/incoming/too-old.ts';
import type { Workspace } from '../slack/workspaces/workspace.ts';
import { applyEvent } from '../store/apply-event.ts';
import type { ClaimedTask, Store, Transaction } from '../store/store.ts';
import { factsOf } from './job-facts.ts';
import { isHopeless, slackRetryMs } from './posts/slack-retry.ts';
import type { Tools } from './tools.ts';

/** Threads whose job was asked for longer ago, and has ended, are not read again. */
const LIVE_FOR_MS = 14 * 86_400_000;
const MAX_THREADS = 500;
/** Slack lets an app read 50 threads a minute and workspace (Tier 3); this leaves room for other reads. */
const SPACING_MS = 1_500;
/** Older replies are announced when they are found; younger ones look as if they had come in time. */
const OLD_AFTER_MS = 10 * 60_000;

/** Plans to look for missed replies in live threads, those of running jobs first, without a burst of reads. */
export async function scheduleCatchUps(store: Store, nowMs: number): Promise<void> {
  await store.transaction(async (tx) => {
    const jobIds = await tx.jobs.withLiveThreads(nowMs - LIVE_FOR_MS, MAX_THREADS);
    for (const [index, jobId] of jobIds.entries()) {
      await scheduleCatchUp(tx, jobId, nowMs + index * SPACING_MS);
    }
  });
}

/** Plans to look for missed replies in one thread. */
export function scheduleCatchUp(tx: Transaction, jobId: string, runAtMs: number): Promise<void> {
  return tx.tasks.schedule({ kind: 'catch_up', subject: jobId, runAtMs, ifScheduled: 'keep' });
}

/** Reads a thread, and takes in the replies that no event has told of: each is a follow-up, once. */
export async function catchUp(tools: Tools, task: ClaimedTask): Promise<void> {
  const job = await tools.store.transaction((tx) => tx.jobs.get(task.subject));
  const workspace = job && (await tools.workspaces.of(job.teamId));
  // What is said in a workspace that is not set up (any more) is not for the agent.
  if (job?.threadTs == null || workspace?.projects == null) {
    await tools.store.transaction((tx) => tx.tasks.complete(task.lease));
    return;
  }
  let messages: ThreadMessage[];
  try {
    messages = await admitted(workspace, job, await workspace.poster.thread(job.channelId, job.threadTs));
  } catch (error) {
    if (!(error instanceof SlackCallError)) throw error;
    tools.log.warn('thread_not_read', { ...factsOf(job), reason: error.failure.code });
    await giveUpOrRetry(tools, task, error);
    return;
  }
  await tools.store.transaction(async (tx) => {
    await tx.tasks.fence(task.lease);
    const context = tools.newContext();
    let oldReplies = 0;
    for (const message of messages) {
      const found = replyOf(message, workspace.botUserId);
      if (found === null || isBeforeJob(job, message.ts)) continue;
      if (isTooOld(Number(message.ts), context.nowMs)) continue;
      const { reply } = found;
      if (!(await tx.gestures.remember(messageKeys(job.teamId, message), context.nowMs))) {
        if (reply.editedTs !== null) await applyEvent(tx, job.id, { type: 'reply_edited', reply }, context);
        continue;
      }
      await applyEvent(tx, job.id, { type: 'reply_received', reply }, context);
      if (context.nowMs - Number(message.ts) * 1000 > OLD_AFTER_MS) oldReplies += 1;
    }
    if (oldReplies > 0) {
      await applyEvent(tx, job.id, { type: 'old_replies_found', count: oldReplies }, context);
    }
    await tx.tasks.complete(task.lease);
  });
}

/** Without the messages of those who may not use the program there, or are no people. */
async function admitted(
  { access, botUserId }: Workspace,
  job: Job,
  messages: readonly ThreadMessage[],
): Promise<ThreadMessage[]> {
  const authors = new Set(messages.flatMap((message) => replyOf(message, botUserId)?.reply.userId ?? []));
  const refusals = await Promise.all(
    [...authors].map(
      async (userId) => [userId, await access.refusalOfWriter(userId, job.channelId)] as const,
    ),
  );
  const refused = new Set(refusals.flatMap(([userId, refusal]) => (refusal === null ? [] : [userId])));
  return messages.filter(({ user }) => user === undefined || !refused.has(user));
}

async function giveUpOrRetry(tools: Tools, task: ClaimedTask, { failure }: SlackCallError): Promise<void> {
  await tools.store.transaction((tx) => {
    // The channel or the thread is gone, or the bot has left it; or nobody could follow this thread any more.
    const isOver = isHopeless(task, failure) || failure.code === TOO_MANY_MESSAGES;
    if (isOver) return tx.tasks.complete(task.lease);
    const waitMs = slackRetryMs(task, failure);
    return tx.tasks.postpone(task.lease, tools.clock.now() + waitMs);
  });
}
