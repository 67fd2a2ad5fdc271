import { applyEvent } from '../../../engine/apply-event.ts';
import type { JobEvent } from '../../../jobs/event.ts';
import {
  type ChangeEvent,
  isPostedByApp,
  mentionsBot,
  writtenByPerson,
} from '../../messages/message-event.ts';
import { rewrittenRequest } from '../../messages/rewritten-request.ts';
import { noteRequest } from '../connection/request-log.ts';
import type { ListenerDeps } from '../deps.ts';
import { isAdmitted } from '../requests/admission.ts';

/** A request that waits for longer has been answered, or was given up. */
const ASKED_WITHIN_MS = 7 * 86_400_000;

/** A person's request that has not gone out goes out as it was changed, and not at all if it was deleted. */
export async function changeRequest(
  deps: ListenerDeps,
  { subtype, channel, message: now, previous_message: before }: ChangeEvent,
  { isDirect, botUserId }: { readonly isDirect: boolean; readonly botUserId: string | undefined },
): Promise<void> {
  const isDeleted = subtype === 'message_deleted' || now?.subtype === 'tombstone';
  const changed = isDeleted ? before : now;
  if (changed === undefined || botUserId === undefined) return;
  const message = { ...changed, channel };
  const userId = writtenByPerson(message, botUserId);
  const mayAsk =
    isDirect || mentionsBot(message, botUserId) || mentionsBot({ ...message, ...before }, botUserId);
  if (userId === null || !mayAsk || (!isDeleted && changed.edited?.ts === undefined)) return;
  const event: JobEvent | null = isDeleted
    ? { type: 'request_deleted', messageTs: changed.ts, userId }
    : rewrittenRequest(message, {
        userId,
        botUserId,
        projects: deps.projects,
        promptMaxLength: deps.newContext().policy.promptMaxLength,
      });
  const { teamId, store, clock } = deps;
  const asker = { teamId, channelId: channel, requesterId: userId };
  const find = () =>
    store.transaction(async (tx) => {
      const jobs = await tx.jobs.requestedBy(asker, clock.now() - ASKED_WITHIN_MS);
      return jobs.find(({ requestTs }) => requestTs === changed.ts)?.id ?? null;
    });
  const jobId = event === null ? null : await find();
  if (event === null || jobId === null) return;
  const writer = { channelId: channel, threadTs: null, userId, isPostedByApp: isPostedByApp(message) };
  if (!(await isAdmitted(deps, writer, null))) return;
  await store.transaction((tx) => applyEvent(tx, jobId, event, deps.newContext()));
  noteRequest({ outcome: 'accepted', jobId });
}
