import { applyEvent } from '../../../engine/apply-event.ts';
import type { JobEvent } from '../../../jobs/event.ts';
import { addressed } from '../../../jobs/requests/project.ts';
import { judgePrompt } from '../../../jobs/requests/prompt.ts';
import { attachmentsIn } from '../../messages/attachments.ts';
import {
  type ChangeEvent,
  isPostedByApp,
  type MessageEvent,
  mentionsBot,
  requestText,
  writtenByPerson,
} from '../../messages/message-event.ts';
import { saidBy } from '../../messages/said.ts';
import { readableText } from '../../protocol/slack-text.ts';
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
    : rewritten(deps, message, userId, botUserId);
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

/** Null: what it says now cannot be asked. Its project stays. */
function rewritten(
  deps: ListenerDeps,
  message: MessageEvent,
  userId: string,
  botUserId: string,
): JobEvent | null {
  const attachments = attachmentsIn(message);
  const to = addressed(requestText(saidBy(message), attachments, botUserId), deps.projects, deps.projects[0]);
  if (to.kind === 'unknown_project') return null;
  const { promptMaxLength } = deps.newContext().policy;
  if (judgePrompt(readableText(to.prompt, new Map()), promptMaxLength).kind !== 'ok') return null;
  const editedTs = message.edited?.ts ?? null;
  const reply = { messageTs: message.ts, userId, text: to.prompt, editedTs, mentionsBot: true, attachments };
  return { type: 'request_rewritten', reply };
}
