import type { Logger } from '../../engine/runtime/redact.ts';
import { DRAFT_KEPT_MS, mayDraftMore } from '../../jobs/decide/start/drafts.ts';
import type { Thread, Transaction } from '../../store/store.ts';

interface Wanted {
  /** Where the draft would stand. */
  readonly thread: Thread;
  readonly appId: string;
  readonly nowMs: number;
}

/** Whether an app's message may become a draft: not where there is a job, and not beyond the app's share. */
export async function isRoomForDraft(
  tx: Transaction,
  log: Logger,
  { thread, appId, nowMs }: Wanted,
): Promise<boolean> {
  const { teamId, channelId, threadTs } = thread;
  if ((await tx.jobs.findByThread(teamId, channelId, threadTs)) !== null) return false;
  const nobodys = { teamId, channelId, requesterId: null };
  const recent = await tx.jobs.requestedBy(nobodys, nowMs - DRAFT_KEPT_MS);
  const isRoom = mayDraftMore(recent, appId);
  if (!isRoom) log.warn('app_mention_ignored', { channel_id: channelId, app_id: appId });
  return isRoom;
}
