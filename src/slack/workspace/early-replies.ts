import { type AnyJobContext, applyEvent } from '#engine/apply-event.ts';
import { DRAFT_KEPT_MS, mayDraftMore } from '#jobs/decide/open.ts';
import type { Job } from '#jobs/job.ts';
import type { Logger } from '#runtime/redact.ts';
import type { Thread, Transaction } from '#store/store.ts';
import { messageKeys } from '../messages/message-event.ts';

/** Remembers the replies only now: after an earlier crash, Slack redelivers them, or the thread is read. */
export async function takeInEarlyReplies(
  tx: Transaction,
  jobId: string,
  { teamId, channelId, threadTs }: Pick<Job, 'teamId' | 'channelId' | 'threadTs'>,
  context: AnyJobContext,
): Promise<void> {
  if (threadTs === null) return;
  // The job first, as everywhere: another order deadlocks.
  await tx.jobs.lockOnly(jobId);
  for (const reply of await tx.earlyReplies.take({ teamId, channelId, threadTs })) {
    const message = { channel: channelId, ts: reply.messageTs };
    await tx.inboundRequests.remember(messageKeys(teamId, message), context.nowMs);
    await applyEvent(tx, jobId, { type: 'reply_received', reply }, context);
  }
}

export async function isRoomForDraft(
  tx: Transaction,
  log: Logger,
  { teamId, channelId, threadTs }: Thread,
  appId: string,
  nowMs: number,
): Promise<boolean> {
  if ((await tx.jobs.findByThread(teamId, channelId, threadTs)) !== null) return false;
  const nobodys = { teamId, channelId, requesterId: null };
  const isRoom = mayDraftMore(await tx.jobs.requestedBy(nobodys, nowMs - DRAFT_KEPT_MS), appId);
  if (!isRoom) log.warn('app_mention_ignored', { channel_id: channelId, app_id: appId });
  return isRoom;
}
